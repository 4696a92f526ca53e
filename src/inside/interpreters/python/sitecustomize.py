"""What CPython imports before a script that aprof run --script runs: it lets the library beside tell aprof of functions, and then imports the
sitecustomize that there would be without it."""
import sys


def begin(here):
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    name = "_aprof_%d_%d" % sys.version_info[:2]
    loader = ExtensionFileLoader(name, here[:here.rindex("/")] + "/libaprof-python%d.%d.so" % sys.version_info[:2])
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module.begin


def import_next(here):
    sys.path[:] = [folder for folder in sys.path if folder != here]
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize                    # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours


def both():
    here = __file__[:__file__.rindex("/")]
    try:
        start = begin(here)
    except (ImportError, OSError):              # another version than aprof was built for
        start = None
    import_next(here)
    if start:
        start()


both()
