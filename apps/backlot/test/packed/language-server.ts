import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MANIFEST = createRequire(import.meta.url).resolve('yaml-language-server/package.json');

/** What an editor shows beside a line. */
export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

interface Packet {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly uri?: string;
    readonly diagnostics?: Diagnostic[];
    readonly items?: unknown[];
  };
  readonly result?: unknown;
}

/** The language server of the YAML extensions of editors, as they start it. */
export class LanguageServer {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #diagnostics = new Map<string, (diagnostics: Diagnostic[]) => void>();
  #unread = Buffer.alloc(0);
  #lastId = 0;

  private constructor(folder: string) {
    const bin = join(dirname(MANIFEST), 'bin', 'yaml-language-server');
    this.#child = spawn(process.execPath, [bin, '--stdio'], { cwd: folder, stdio: 'pipe' });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Starts it for the files of a folder. */
  static async start(folder: string): Promise<LanguageServer> {
    const server = new LanguageServer(folder);
    await server.#ask('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
    });
    server.#send({ method: 'initialized', params: {} });
    return server;
  }

  /** Opens a file, which need not be on the disk, for the first time, and gives what is wrong with it. */
  open(file: string, text: string): Promise<Diagnostic[]> {
    const uri = pathToFileURL(file).href;
    const shown = new Promise<Diagnostic[]>((resolve) => this.#diagnostics.set(uri, resolve));
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
    return shown;
  }

  /** What is offered at a place of an open file; lines and characters count from 0. */
  async complete(file: string, line: number, character: number): Promise<string[]> {
    const textDocument = { uri: pathToFileURL(file).href };
    const offered = await this.#ask('textDocument/completion', {
      textDocument,
      position: { line, character },
    });
    const { items } = offered as { items: { label: string }[] };
    return items.map(({ label }) => label);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    await this.#ask('shutdown', null);
    this.#send({ method: 'exit' });
    await ended;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #send(packet: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...packet });
    this.#child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const end = this.#unread.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.#unread.toString('latin1', 0, end))?.[1]);
      if (end === -1 || this.#unread.length < end + 4 + length) return;
      const packet = JSON.parse(this.#unread.toString('utf8', end + 4, end + 4 + length)) as Packet;
      this.#unread = this.#unread.subarray(end + 4 + length);
      this.#take(packet);
    }
  }

  #take({ id, method, params, result }: Packet): void {
    if (method === 'textDocument/publishDiagnostics') {
      this.#diagnostics.get(params?.uri ?? '')?.(params?.diagnostics ?? []);
    } else if (method !== undefined && id !== undefined) {
      // It asks for the settings of the editor, a value for each item; there are none.
      this.#send({ id, result: params?.items?.map(() => null) ?? null });
    } else if (id !== undefined) {
      this.#answers.get(id)?.(result);
    }
  }
}
