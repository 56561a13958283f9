// Runs commands one after the other in one process, as bin/backlot.js runs one: what all of them load is loaded once.
// Each message is `{ args, cwd, env }`, and its answer what the command has printed and the code that it would end with.
const MAIN = new URL('../dist/main.js', import.meta.url).href;
const exit = Symbol('exit');
let count = 0;

process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
process.exit = (code) => {
  throw { [exit]: true, code: code ?? process.exitCode ?? 0 };
};

/** Takes what is written to a stream from now on. */
function take(stream) {
  const taken = { text: '' };
  stream.write = (chunk, encoding, done) => {
    taken.text += String(chunk);
    const callback = typeof encoding === 'function' ? encoding : done;
    if (callback !== undefined) setImmediate(callback);
    return true;
  };
  return taken;
}

process.on('message', async ({ args, cwd, env }) => {
  const [stdout, stderr] = [take(process.stdout), take(process.stderr)];
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.argv[0], process.argv[1], ...args];
  process.exitCode = undefined;
  let code;
  try {
    // With another query it is another module, which begins anew; what it imports is the same.
    await import(`${MAIN}?${(count += 1)}`);
    code = process.exitCode ?? 0;
  } catch (thrown) {
    if (thrown?.[exit] !== true) throw thrown;
    ({ code } = thrown);
  }
  process.send({ code, stdout: stdout.text, stderr: stderr.text });
});
process.send('ready');
