import { waitFor } from '../../waiting/index.mjs';
import { isTrue } from './body.mjs';
import { containerOf } from './logs.mjs';
import { notFound, Refusal } from './status.mjs';
import { changed, Store } from './store.mjs';
import { whenLeft } from './watch.mjs';

const [STDIN, STDOUT, STDERR, ERROR] = [0, 1, 2, 3];
/** Of v5.channel.k8s.io: a channel is closed. */
const CLOSE = 255;
const MAX_SESSIONS = 100;
const MAX_STDIN = 1024 * 1024;
/** Larger outputs go out in pieces. */
const PIECE = 64 * 1024;

const frame = (channel, bytes) => ({
  base64: Buffer.concat([Buffer.from([channel]), Buffer.from(bytes)]).toString('base64'),
});

const SUCCESS = { metadata: {}, status: 'Success' };

const failure = (code) => ({
  metadata: {},
  status: 'Failure',
  message: `command terminated with non-zero exit code: exit status ${code}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});

const notThere = (name) =>
  new Refusal(
    500,
    'InternalError',
    `Internal error occurred: error executing command in container: OCI runtime exec failed: exec: "${name}": executable file not found in $PATH; a row of kubernetes:commands would say what it does`,
    { details: { causes: [{ message: `exec: "${name}": executable file not found in $PATH` }] } },
  );

const sessionsOf = (context) => context.collection('kubernetes:sessions');

/** Runs a command: answers a client that connects. */
export async function* connect(request, context) {
  try {
    const call = callOf(request, context);
    const session = open(request, context, call);
    const found = answerOf(call, context);
    for (const [channel, text] of [
      [STDOUT, found.stdout],
      [STDERR, found.stderr],
    ]) {
      const bytes = Buffer.from(text ?? '');
      for (let at = 0; at < bytes.length; at += PIECE) yield frame(channel, bytes.subarray(at, at + PIECE));
    }
    if (found.reads === true && call.reads && !(await stdinOf(session, context))) return;
    const code = found.exit_code ?? 0;
    yield frame(ERROR, JSON.stringify(code === 0 ? SUCCESS : failure(code)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield frame(ERROR, JSON.stringify(error.status));
  }
}

function callOf({ params, query }, context) {
  const { namespace, pod: name } = params;
  const store = new Store(context);
  const resource = store.resourceOf({ apiVersion: 'v1', kind: 'Pod' });
  if (!store.has(resource, namespace, name)) throw notFound(resource, name);
  const pod = store.get(resource, namespace, name);
  const one = (value) => [value].flat()[0];
  const container = containerOf(pod, one(query.container));
  const command = query.command === undefined ? [] : [query.command].flat();
  return { namespace, pod: name, container, command, reads: isTrue(one(query.stdin)) };
}

/** What a command does: a row says so, or it is one of the few that everybody has. */
function answerOf({ namespace, pod, container, command }, context) {
  const text = command.join(' ');
  const script = command.length === 3 && command[1] === '-c' ? command[2] : undefined;
  const row = context
    .collection('kubernetes:commands')
    .list()
    .find(
      (one) =>
        [text, script].includes([one.command].flat().join(' ')) &&
        (one.namespace ?? namespace) === namespace &&
        (one.pod ?? pod) === pod &&
        (one.container ?? container) === container,
    );
  if (row !== undefined) return row;
  const [name = '', ...args] = command;
  if (name === 'echo') return { stdout: `${args.join(' ')}\n` };
  if (name === 'cat' && args.length === 0) return { reads: true };
  if (name === 'true' || name === 'false') return { exit_code: name === 'true' ? 0 : 1 };
  throw notThere(name);
}

function open({ stream }, context, { reads: _reads, ...call }) {
  const rows = sessionsOf(context);
  while (rows.size >= MAX_SESSIONS) rows.remove(rows.list()[0].id);
  rows.create({ id: stream, ...call, stdin: '', is_closed: false });
  return stream;
}

/** Waits until the client has closed its input. @returns whether it has done so, and not gone */
async function stdinOf(id, context) {
  const asked = whenLeft(context.signal);
  for (;;) {
    const rows = sessionsOf(context);
    if (!rows.has(id) || context.signal.aborted) return false;
    if (rows.get(id).is_closed) return true;
    await waitFor(changed, { clock: context.clock, asked });
  }
}

/** What a client sends to its command. */
export function receive({ raw_body: raw, stream }, context) {
  const bytes = Buffer.from(raw);
  const rows = sessionsOf(context);
  if (!rows.has(stream)) return [{}];
  const { command, stdin } = rows.get(stream);
  if (bytes[0] === CLOSE && bytes[1] === STDIN) rows.update(stream, { is_closed: true });
  else if (bytes[0] === STDIN) {
    const text = stdin + bytes.toString('utf8', 1);
    rows.update(stream, { stdin: text.slice(-MAX_STDIN) });
    if (command.length === 1 && command[0] === 'cat')
      return [{ respond_binary: Buffer.concat([Buffer.from([STDOUT]), bytes.subarray(1)]) }];
  }
  changed.ring();
  return [{}];
}
