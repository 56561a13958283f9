import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = join(createRequire(import.meta.url).resolve('backlot/package.json'), '../dist/main.js');

interface Wanted {
  readonly Image: string;
  readonly Env?: readonly string[];
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly HostConfig?: {
    readonly PortBindings?: Readonly<Record<string, readonly { readonly HostPort?: string }[]>>;
  };
}

/** A container that is a process: what is inside keeps its own ports, and outside they are others. */
interface Container {
  readonly wanted: Wanted;
  readonly root: string;
  process?: ChildProcess;
  output: string;
  /** What the ready line of the command says, by kind. */
  ports: Readonly<Record<string, number>>;
  proxy?: Server;
}

/**
 * Docker's engine, as far as Testcontainers asks it to run one container: the part of its API (v1.44) that makes, fills, starts, inspects and
 * ends it. There is no engine here; the container is the command as a process, whose ports are mapped as an engine would.
 */
export class Engine {
  readonly containers = new Map<string, Container>();
  /** The requests, without ids. */
  readonly asked: string[] = [];
  #server: Server | undefined;
  #last = 0;

  /** @returns its address as `DOCKER_HOST` has it */
  async start(): Promise<string> {
    this.#server = createServer((asked, response) => {
      this.#answer(asked, response).catch((error: unknown) =>
        send(response, 500, { message: error instanceof Error ? error.message : String(error) }),
      );
    });
    return `tcp://127.0.0.1:${await listen(this.#server)}`;
  }

  async stop(): Promise<void> {
    for (const id of [...this.containers.keys()]) await this.#remove(id);
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(asked.url ?? '/', 'http://localhost');
    const path = pathname.replace(/^\/v[\d.]+/, '');
    const [, id = ''] = /^\/containers\/(c\d+)/.exec(path) ?? [];
    const what = `${asked.method} ${id === '' ? path : path.replace(id, 'ID')}`;
    this.asked.push(what);
    const container = this.containers.get(id);
    if (what === 'GET /info')
      return send(response, 200, { ServerVersion: '28', OSType: 'linux', OperatingSystem: 'Debian' });
    if (what === 'GET /images/backlot%3Atest/json' || what === 'GET /images/backlot:test/json')
      return send(response, 200, { Id: 'i' });
    if (what === 'POST /containers/create')
      return send(response, 201, { Id: this.#create(JSON.parse((await read(asked)).toString()) as Wanted) });
    if (what === 'GET /containers/json') return send(response, 200, []);
    if (container === undefined)
      return send(response, 404, { message: `no such container or request: ${what}` });
    switch (what) {
      case 'PUT /containers/ID/archive':
        execFileSync('tar', ['-x', '-C', container.root], { input: await read(asked) });
        // Nothing is in the answer, not even an empty object.
        response.writeHead(200).end();
        return;
      case 'POST /containers/ID/start':
        await start(container);
        return send(response, 204);
      case 'GET /containers/ID/json':
        return send(response, 200, inspect(id, container));
      case 'GET /containers/ID/logs': {
        // As frames of one stream: which one it is, and how long its piece.
        const text = Buffer.from(container.output);
        const head = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]);
        head.writeUInt32BE(text.length, 4);
        response.writeHead(200, { 'content-type': 'application/vnd.docker.multiplexed-stream' });
        response.end(Buffer.concat([head, text]));
        return;
      }
      case 'POST /containers/ID/stop':
        await end(container);
        return send(response, 204);
      case 'DELETE /containers/ID':
        await this.#remove(id);
        return send(response, 204);
      default:
        return send(response, 501, { message: `the engine of the tests has no ${what}` });
    }
  }

  #create(wanted: Wanted): string {
    const root = mkdtempSync(join(tmpdir(), 'backlot-container-'));
    mkdirSync(join(root, 'config'));
    const id = `c${(this.#last += 1)}`;
    this.containers.set(id, { wanted, root, output: '', ports: {} });
    return id;
  }

  async #remove(id: string): Promise<void> {
    const container = this.containers.get(id);
    this.containers.delete(id);
    if (container === undefined) return;
    await end(container);
    rmSync(container.root, { recursive: true });
  }
}

/** Starts the command as the image does, but that each port is a free one; resolves when it is ready or has ended. */
async function start(container: Container): Promise<void> {
  const given = (container.wanted.Env ?? []).map((line) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
    return [name, name.endsWith('_PORT') ? '0' : value];
  });
  const child = spawn(process.execPath, [COMMAND, 'start', '--quiet'], {
    cwd: join(container.root, 'config'),
    env: { PATH: process.env['PATH'], ...(Object.fromEntries(given) as Record<string, string>) },
  });
  container.process = child;
  await new Promise<void>((resolve) => {
    const take = (chunk: Buffer): void => {
      container.output += chunk.toString();
      const ready = /^ready (.*)$/m.exec(container.output)?.[1];
      if (ready === undefined) return;
      container.ports = Object.fromEntries(
        ready
          .split(' ')
          .map((entry) => [entry.slice(0, entry.indexOf('=')), Number(/:(\d+)$/.exec(entry)?.[1])]),
      );
      resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => resolve());
  });
  container.proxy = createServer((asked, response) => void forward(container, asked, response));
  await listen(container.proxy);
}

/** Hands a request of the management API on. Its answer names the ports that are inside. */
async function forward(
  container: Container,
  asked: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await read(asked);
  const port = container.ports['api'];
  const sent = request({ port, method: asked.method, path: asked.url, headers: asked.headers }, (answer) => {
    void read(answer).then((bytes) => {
      let text = bytes.toString();
      for (const [kind, inside] of Object.entries(insidePorts(container)))
        text = text.replaceAll(new RegExp(`(:)${container.ports[kind]}\\b`, 'g'), `$1${inside}`);
      response.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' }).end(text);
    });
  });
  sent.once('error', () => response.destroy());
  sent.end(body);
}

/** The port that each kind was given. */
function insidePorts({ wanted }: Container): Readonly<Record<string, number>> {
  return Object.fromEntries(
    (wanted.Env ?? []).flatMap((line) => {
      const [, kind = '', port] = /^BACKLOT_([A-Z]+)_PORT=(\d+)$/.exec(line) ?? [];
      return port === undefined || kind === 'API' ? [] : [[kind.toLowerCase(), Number(port)]];
    }),
  );
}

function inspect(id: string, container: Container): object {
  const { wanted, ports, proxy } = container;
  const byInside = new Map(Object.entries(insidePorts(container)).map(([kind, port]) => [port, ports[kind]]));
  const bindings = Object.keys(wanted.ExposedPorts ?? {}).map((name) => {
    const inside = Number(name.split('/')[0]);
    const outside = byInside.has(inside)
      ? byInside.get(inside)
      : (proxy?.address() as AddressInfo | null)?.port;
    return [name, [{ HostIp: '127.0.0.1', HostPort: String(outside ?? 1) }]];
  });
  const isRunning = container.process?.exitCode === null;
  return {
    Id: id,
    Name: `/${id}`,
    Config: { Hostname: id, Labels: {} },
    State: { Status: isRunning ? 'running' : 'exited', Running: isRunning, StartedAt: '', FinishedAt: '' },
    NetworkSettings: { Ports: Object.fromEntries(bindings) as object, Networks: {} },
    HostConfig: wanted.HostConfig,
  };
}

async function end({ process: child, proxy }: Container): Promise<void> {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  if (proxy?.listening !== true) return;
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
}
