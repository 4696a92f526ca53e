// syntax.js - source coloured by its words: comments, strings, numbers and keywords of the languages that profiles are of.  It does not parse; what it does not know is plain.
import { h } from './dom.js';

const words = (text) => new Set(text.split(' '));
const C = words(
	'alignas alignof asm auto bool break case catch char class concept const consteval constexpr constinit continue co_await co_return co_yield decltype default delete do ' +
		'double else enum explicit export extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private ' +
		'protected public register requires return short signed sizeof static static_assert struct switch template this thread_local throw true try typedef typeid ' +
		'typename union unsigned using virtual void volatile wchar_t while size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t',
);
const LANGUAGES = {
	c: { keywords: C, line: '//', block: true },
	rust: {
		keywords: words(
			'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static ' +
				'struct super trait true type unsafe use where while i8 i16 i32 i64 u8 u16 u32 u64 usize isize f32 f64 bool str char',
		),
		line: '//',
		block: true,
		ticks: true, // lifetimes look as if a letter in quotes began
	},
	go: {
		keywords: words(
			'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type ' +
				'var nil true false int string byte error bool',
		),
		line: '//',
		block: true,
	},
	python: {
		keywords: words(
			'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise ' +
				'return try while with yield True False None self',
		),
		line: '#',
	},
	lua: {
		keywords: words('and break do else elseif end false for function goto if in local nil not or repeat return then true until while'),
		line: '--',
	},
	fortran: {
		keywords: words(
			'program subroutine function module use implicit none integer real complex logical character do end if then else elseif enddo endif call return contains ' +
				'intent in out inout allocate deallocate where type select case while',
		),
		line: '!',
		folds: true, // letters of either case are one
	},
};
const ENDINGS = [
	[/\.(c|h|cc|hh|cpp|hpp|cxx|hxx|c\+\+|h\+\+|inl|ipp|tcc|m|mm|cu|d|java|js|ts|y|l)$/i, 'c'],
	[/\.rs$/, 'rust'],
	[/\.go$/, 'go'],
	[/\.py$/, 'python'],
	[/\.lua$/, 'lua'],
	[/\.(f|f77|f90|f95|f03|f08|for)$/i, 'fortran'],
];

const languageOf = (file) => LANGUAGES[ENDINGS.find(([ending]) => ending.test(file))?.[1]] ?? (file.includes('.') ? null : LANGUAGES.c);

const escaped = (text) => text.replace(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');

function patternOf({ line, block, ticks }) {
	const parts = [
		`(?<comment>${escaped(line)}.*|${block ? '/\\*.*?(?:\\*/|$)' : '(?!)'})`,
		`(?<string>"(?:\\\\.|[^"\\\\])*(?:"|$)|${ticks ? "'(?:\\\\.[^']*|[^'\\\\])'" : "'(?:\\\\.|[^'\\\\])*(?:'|$)"})`,
		"(?<number>\\b(?:0[xX][\\da-fA-F_']+|\\d[\\d_']*(?:\\.\\d*)?(?:[eE][-+]?\\d+)?)[a-zA-Z]*)",
		'(?<word>[A-Za-z_]\\w*)',
	];
	return new RegExp(parts.join('|'), 'gu');
}

// The LINES of FILE, each as a list of texts and elements.
export function coloured(file, lines) {
	const language = languageOf(file);
	if (!language) return lines.map((text) => [text]);
	const pattern = patternOf(language);
	let inComment = false;
	return lines.map((text) => {
		const parts = [];
		let at = 0;
		const put = (kind, piece) => parts.push(kind ? h('span', { class: `s-${kind}` }, piece) : piece);
		if (inComment) {
			const end = text.indexOf('*/');
			at = end < 0 ? text.length : end + 2;
			inComment = end < 0;
			if (at) put('comment', text.slice(0, at));
		}
		pattern.lastIndex = at;
		for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
			const { comment, string, number, word } = found.groups;
			const known = word && language.keywords.has(language.folds ? word.toLowerCase() : word);
			const kind =
				comment !== undefined
					? 'comment'
					: string !== undefined
						? 'string'
						: number !== undefined
							? 'number'
							: known
								? 'word'
								: null;
			if (!kind) continue;
			if (found.index > at) put(null, text.slice(at, found.index));
			put(kind, found[0]);
			at = found.index + found[0].length;
			inComment = kind === 'comment' && Boolean(language.block) && comment.startsWith('/*') && !/^\/\*.*\*\/$/.test(comment);
		}
		if (at < text.length) put(null, text.slice(at));
		return parts;
	});
}
