// The engine behind a page: `ask(question)` is a promise of the answer, or of an error whose message says why there is
// none. Questions and answers are those of `revealed_formats::answers::Question`. A page does not know which engine it
// has: the answers that it came with, or the engine itself, in the page or on a server.

// The answers that the page came with.
export function frozenEngine(answers, whyNot) {
  const known = new Map(answers.map(row => [key(row.question), row]));
  return {
    isAlive: false,
    async ask(question) {
      const found = known.get(key(question));
      if (!found) throw new Error(`this page cannot answer that: ${whyNot}`);
      if ('error' in found) throw new Error(found.error);
      return found.ok;
    },
  };
}

// The engine as WebAssembly, which answers in the page. It begins with what the page came with.
export async function wasmEngine(base64, data) {
  const module = await WebAssembly.compile(await inflated(base64));
  let instance = null;
  const call = (name, text) => {
    const { memory, revealed_reserve, revealed_answer } = instance;
    const bytes = new TextEncoder().encode(text);
    // First the room: making it may move the memory.
    const room = revealed_reserve(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
    let length;
    try {
      length = instance[name]();
    } catch (trap) {
      // A module that has trapped is in no known state: the next question begins anew.
      instance = null;
      throw new Error(`the engine has stopped (${trap.message}): perhaps the page has too little memory`);
    }
    const place = revealed_answer() >>> 0;
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, place, length)));
    if ('error' in answer) throw new Error(answer.error);
    return answer.ok;
  };
  const open = async () => {
    instance = (await WebAssembly.instantiate(module, {})).exports;
    const { problem, model, demonstrations } = data;
    return call('revealed_open', JSON.stringify({ problem, model, demonstrations }));
  };
  const { version } = await open();
  return {
    isAlive: true,
    version,
    async ask(question) {
      if (!instance) await open();
      return call('revealed_ask', JSON.stringify(question));
    },
    // Everything as it was when the page was opened.
    open,
  };
}

// Objects whose parts are in another order are the same question; absent parts are null.
function key(question) {
  const parts = Object.entries(question).filter(([, value]) => value !== null && value !== undefined);
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function inflated(base64) {
  const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
