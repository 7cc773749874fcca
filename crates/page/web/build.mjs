// Called by ./build: `web`, or `engine FILE.wasm`. It writes ../assets and the stamps of what was built.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import binaryen from 'binaryen';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../../..');
const assets = join(import.meta.dirname, '../assets');
// The same list and the same digest as in crates/page/tests/page/stale.rs.
const WEB = ['crates/page/web/src', 'crates/page/web/package.json', 'crates/page/web/build.mjs'];
const ENGINE = ['crates/revealed/src', 'crates/revealed/Cargo.toml', 'crates/formats/src', 'crates/formats/Cargo.toml', 'crates/wasm'];
const EXPORTED = ['memory', 'revealed_reserve', 'revealed_open', 'revealed_ask', 'revealed_answer'];

const files = path => (statSync(path).isDirectory() ? readdirSync(path).flatMap(name => files(join(path, name))) : [path]);

// FNV-1a of the names and the contents, in the order of the names.
function digest(places) {
  const names = places.flatMap(place => files(join(root, place))).map(file => relative(root, file).replaceAll('\\', '/')).sort((a, b) => (a < b ? -1 : 1));
  let [high, low] = [0xcbf29ce4, 0x84222325];
  const write = bytes => {
    for (const byte of bytes) {
      low = (low ^ byte) >>> 0;
      // Times 0x100000001b3, in halves of 32 bits.
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
      low = product >>> 0;
    }
  };
  const number = n => write(new Uint8Array(new BigUint64Array([BigInt(n)]).buffer));
  for (const name of names) {
    const content = readFileSync(join(root, name));
    [Buffer.from(name), content].forEach(bytes => { number(bytes.length); write(bytes); });
  }
  return `fnv1a64:${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}`;
}

const sha256 = text => createHash('sha256').update(text).digest('base64');

function stamp(changed) {
  const file = join(assets, 'stamps.json');
  const stamps = { ...JSON.parse(readFileSync(file, 'utf8')), ...changed };
  writeFileSync(file, `${JSON.stringify(stamps, null, 2)}\n`);
}

async function web() {
  const options = { bundle: true, minify: true, write: false, target: 'es2022', charset: 'utf8', legalComments: 'none' };
  const text = async (entry, more) => (await build({ ...options, ...more, entryPoints: [join(import.meta.dirname, 'src', entry)] })).outputFiles[0].text.trim();
  const [script, style] = [await text('page.js', { format: 'iife' }), await text('page.css', {})];
  // It stands in an element of the page.
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('an asset would end its element');
  writeFileSync(join(assets, 'page.js'), script);
  writeFileSync(join(assets, 'page.css'), style);
  stamp({ script: sha256(script), style: sha256(style), web_sources: digest(WEB) });
  console.log(`page.js ${script.length} characters, page.css ${style.length}`);
}

// A module without the parts that say nothing to the machine.
function withoutCustomSections(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    const begin = at;
    const id = bytes[at++];
    let [length, shift] = [0, 0];
    for (let more = true; more; shift += 7) {
      length += (bytes[at] & 127) * 2 ** shift;
      more = bytes[at++] > 127;
    }
    at += length;
    if (id !== 0) kept.push(bytes.subarray(begin, at));
  }
  return Buffer.concat(kept);
}

function engine(file) {
  const module = binaryen.readBinary(readFileSync(file));
  // What Rust assumes of every engine.
  const { MutableGlobals, BulkMemory, BulkMemoryOpt, CallIndirectOverlong, SignExt, NontrappingFPToInt, ReferenceTypes, Multivalue } = binaryen.Features;
  module.setFeatures(MutableGlobals | BulkMemory | BulkMemoryOpt | CallIndirectOverlong | SignExt | NontrappingFPToInt | ReferenceTypes | Multivalue);
  // js-sys, which an optional clock of the optimiser brings, exports descriptions that nobody reads.
  for (let at = module.getNumExports() - 1; at >= 0; at -= 1) {
    const { name } = binaryen.getExportInfo(module.getExportByIndex(at));
    if (!EXPORTED.includes(name)) module.removeExport(name);
  }
  // The same clock asks for functions of JavaScript. It is never read, because no search has a limit of time: a call of
  // one of them would be a trap.
  for (let at = 0; at < module.getNumFunctions(); at += 1) {
    const { name, module: from, params, results } = binaryen.getFunctionInfo(module.getFunctionByIndex(at));
    if (!from) continue;
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.unreachable());
    at = -1;
  }
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  module.runPasses(['remove-unused-module-elements']);
  module.optimize();
  // js-sys leaves texts for a program that is not used here.
  const bytes = withoutCustomSections(module.emitBinary());
  const left = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  if (left.length) throw new Error(`the engine asks for ${JSON.stringify(left)}, and a page has nothing to give`);
  // Without the time and the system, so that the same sources give the same bytes.
  const packed = gzipSync(bytes, { level: 9 });
  packed[9] = 255;
  writeFileSync(join(assets, 'engine.wasm.gz'), packed);
  stamp({ engine_sources: digest(ENGINE) });
  console.log(`engine.wasm ${bytes.length} bytes, compressed ${packed.length}`);
}

const [what, file] = process.argv.slice(2);
await (what === 'engine' ? engine(file) : web());
