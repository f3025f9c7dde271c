# The verbs. CMakePresets.json has the flavours, tests/run.py the suites.
.PHONY: all release dev tsan fuzz cover test judge bench soak lint format clean install
JOBS ?= $(shell nproc)

all: release
release dev clang tsan fuzz cover:
	@cmake --preset $@ >/dev/null
	@cmake --build build/$@ -j $(JOBS)
test: release dev
	@python3 tests/run.py test
judge: release dev
	@python3 tests/run.py judge
bench: release
	@python3 tests/run.py bench
soak: release dev
	@python3 tests/run.py soak
lint:
	@python3 tools/check_layers.py
	@python3 tools/tidy.py
	@clang-format-14 --dry-run -Werror $$(git ls-files '*.c' '*.h')
format:
	@clang-format-14 -i $$(git ls-files '*.c' '*.h')
install: release
	install -D -m 755 build/release/frazil $(DESTDIR)/usr/local/bin/frazil
clean:
	rm -rf build
