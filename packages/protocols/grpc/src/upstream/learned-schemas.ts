import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { Metadata } from '@grpc/grpc-js';
import { messageOf, type Log } from '@backlot/core/plugin';
import { decodeMessage } from '../codec/decode.js';
import { encodeMessage } from '../codec/encode.js';
import type { Described } from '../schema/link.js';
import { serviceName } from '../schema/method-keys.js';
import type { SchemaRegistry } from '../schema/registry.js';
import type { GrpcContext } from '../shape.js';
import { Code } from '../wire/status.js';
import { definitionsOf } from './definitions.js';
import { UpstreamCall } from './upstream-call.js';
import type { UpstreamSessions } from './upstream-sessions.js';

/** The versions of server reflection, which have the same messages; the newer one is asked first. */
const REFLECTION = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'].map(
  (name) => `/${name}.ServerReflection/ServerReflectionInfo`,
);
const MAX_SERVICES = 1000;
const MAX_FILES = 2000;

/** What server reflection answers. */
interface Reflected {
  readonly file_descriptor_response?: { readonly file_descriptor_proto?: readonly string[] };
  readonly error_response?: { readonly error_message?: string };
}

/** What was learned of all upstreams, whose types are one schema. */
export class Learned {
  /** The files, by name. */
  readonly files = new Map<string, Uint8Array>();
  /** What stands in them, by full name. */
  readonly definitions = new Map<string, string>();

  add(proto: FileDescriptorProto, bytes: Uint8Array): void {
    this.files.set(proto.name, bytes);
    for (const [name, definition] of definitionsOf(proto)) this.definitions.set(name, definition);
  }

  /** What of a file is other than what has its name already; `undefined` when nothing. */
  conflict(proto: FileDescriptorProto): string | undefined {
    const isThere = this.files.has(proto.name);
    for (const [name, definition] of definitionsOf(proto)) {
      const known = this.definitions.get(name);
      if (known !== undefined && known !== definition) return name;
      if (known === undefined && isThere) return proto.name;
    }
    return undefined;
  }
}

/** Asks an upstream for the schemas of services that no file has. */
export class LearnedSchemas {
  readonly #registry: SchemaRegistry;
  readonly #log: Pick<Log, 'warn'>;
  readonly #sessions: UpstreamSessions;
  /** By service: what is asked, or was. */
  readonly #asked = new Map<string, Promise<void>>();
  readonly #learned: Learned;
  readonly #server: string;
  /** Services of which the types of another upstream are known, which do not fit. */
  readonly #foreign = new Set<string>();

  /** @param learned - what was learned of all upstreams of the kind */
  constructor(
    { mocks, log }: Pick<GrpcContext, 'mocks' | 'log'>,
    sessions: UpstreamSessions,
    learned: Learned,
  ) {
    this.#registry = mocks.index.registry;
    this.#log = log;
    this.#sessions = sessions;
    this.#server = sessions.upstream.url;
    this.#learned = learned;
  }

  /** Whether a method is known, or the upstream was asked for it. */
  knows(path: string): boolean {
    const service = serviceName(path);
    const isOfAnother = this.#learned.definitions.has(service) && !this.#asked.has(service);
    return (
      (this.#registry.method(path) !== undefined && !isOfAnother) ||
      REFLECTION.includes(path) ||
      this.#asked.size >= MAX_SERVICES
    );
  }

  /** Whether the types of a method are those of this upstream, as far as anybody knows. */
  reads(path: string): boolean {
    return !this.#foreign.has(serviceName(path));
  }

  /** Asks for the service of a method. @returns a promise that resolves also when nothing was learned */
  learn(path: string): Promise<void> {
    const service = serviceName(path);
    const known = this.#asked.get(service);
    if (known !== undefined) return known;
    const asking = this.#ask(service).catch((thrown: unknown) =>
      this.#log.warn(
        `the upstream gives no schema of ${service} that can be used (${this.#server}), so that its calls are passed on without being read: ${messageOf(thrown)}`,
      ),
    );
    this.#asked.set(service, asking);
    return asking;
  }

  async #ask(service: string): Promise<void> {
    const files = new Map<string, Described>();
    const wanted: Record<string, string>[] = [{ file_containing_symbol: service }];
    const asked = new Set<string>();
    let path = REFLECTION[0] ?? '';
    for (let request = wanted.shift(); request !== undefined; request = wanted.shift()) {
      let answer = await this.#reflect(path, request);
      if (answer === 'unimplemented' && path === REFLECTION[0]) {
        path = REFLECTION[1] ?? '';
        answer = await this.#reflect(path, request);
      }
      if (answer === 'unimplemented') throw new Error('it has no server reflection');
      for (const bytes of answer) {
        const proto = fromBinary(FileDescriptorProtoSchema, bytes);
        if (files.size >= MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`);
        files.set(proto.name, { proto, bytes });
      }
      for (const { proto } of files.values())
        for (const name of proto.dependency) {
          if (files.has(name) || asked.has(name)) continue;
          if (this.#registry.schema.files.has(name) && !this.#learned.files.has(name)) continue;
          asked.add(name);
          wanted.push({ file_by_filename: name });
        }
    }
    for (const { proto } of files.values()) {
      const name = this.#learned.conflict(proto);
      if (name === undefined) continue;
      this.#foreign.add(service);
      throw new Error(
        `its ${name} is another one than that of the same name which another host has; record the two hosts in runs of their own`,
      );
    }
    for (const { proto, bytes } of await this.#registry.learn([...files.values()]))
      if (bytes !== undefined) this.#learned.add(proto, bytes);
  }

  #reflect(path: string, request: Readonly<Record<string, string>>): Promise<Uint8Array[] | 'unimplemented'> {
    const method = this.#registry.method(path);
    if (method === undefined) return Promise.resolve('unimplemented');
    return new Promise((resolve, reject) => {
      let answer: Reflected | undefined;
      const call = new UpstreamCall(
        this.#sessions,
        { path, metadata: new Metadata(), timeout: '10S' },
        {
          metadata: () => undefined,
          message: (bytes, goOn) => {
            try {
              answer = decodeMessage(method.response, bytes) as Reflected;
            } catch (thrown) {
              call.cancel();
              reject(thrown);
              return;
            }
            goOn();
          },
          status: ({ code, message }) => {
            if (code === Number(Code.UNIMPLEMENTED)) return resolve('unimplemented');
            const list = answer?.file_descriptor_response?.file_descriptor_proto;
            if (code === 0 && list !== undefined)
              return resolve(list.map((text) => Buffer.from(text, 'base64')));
            return reject(new Error(answer?.error_response?.error_message ?? (message || `status ${code}`)));
          },
          lost: reject,
        },
      );
      call.send(encodeMessage(method.request, request), () => undefined);
      call.end();
    });
  }
}
