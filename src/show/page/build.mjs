// build.mjs SOURCE BUILD: bundle the page into BUILD/page.html, and BUILD/template.S, which puts it into the program.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [source, build] = process.argv.slice(2).map((p) => path.resolve(p));
const esbuild = createRequire(path.join(build, 'package.json'))('esbuild');
const inputs = new Set([path.join(source, 'build.mjs'), path.join(source, 'src/page.html')]);
const packages = new Set();

// The script and the style of the bundle that begins at ENTRY; a library may bring a style of its own.
function bundle(entry) {
	const result = esbuild.buildSync({
		entryPoints: [path.join(source, 'src', entry)],
		bundle: true,
		minify: true,
		write: false,
		metafile: true,
		format: 'iife',
		target: ['es2022'],
		legalComments: 'none',
		charset: 'utf8',
		absWorkingDir: build,
		nodePaths: [path.join(build, 'node_modules')],
		outdir: build,
	});
	for (const input of Object.keys(result.metafile.inputs)) {
		const found = input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
		if (found) packages.add(found[1]);
		else inputs.add(path.resolve(build, input));
	}
	const text = (kind) => result.outputFiles.find((f) => f.path.endsWith(kind))?.text ?? '';
	return { script: text('.js'), style: text('.css') };
}

// The licences of all that went into the bundles, as their packages have them.
function licences() {
	return [...packages]
		.sort()
		.map((name) => {
			const folder = path.join(build, 'node_modules', name);
			const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
			const file = fs.readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
			const text = file ? fs.readFileSync(path.join(folder, file), 'utf8').trim() : '';
			return `${name} ${about.version} (${about.license})\n\n${text}`;
		})
		.join(`\n\n${'-'.repeat(72)}\n\n`);
}

const escaped = (text) => text.replace(/[&<]/g, (c) => ({ '&': '&amp;', '<': '&lt;' })[c]);
const main = bundle('main.js');
const parts = { STYLE: main.style + bundle('style.css').style, SCRIPT: main.script, LAYOUT: bundle('layout.js').script };
parts.LICENCES = escaped(licences());
const html = fs.readFileSync(path.join(source, 'src/page.html'), 'utf8').replace(/@([A-Z]+)@/g, (all, name) => parts[name] ?? all);

const page = path.join(build, 'page.html');
fs.writeFileSync(page, html);
fs.writeFileSync(
	path.join(build, 'template.S'),
	`/* ${createHash('sha256').update(html).digest('hex')} */
	.section .rodata
	.globl page_template, page_template_end
page_template:
	.incbin ${JSON.stringify(page)}
page_template_end:
	.section .note.GNU-stack, "", %progbits
`,
);
fs.writeFileSync(
	path.join(build, 'page.d'),
	`src/show/page/template.S src/show/page/page.html: ${[...inputs].map((f) => f.replace(/ /g, '\\ ')).join(' ')}\n`,
);
