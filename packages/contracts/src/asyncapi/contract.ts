import {
  invalid,
  type ContractOperation,
  type ContractViolation,
  type ImportFile,
} from '@backlot/core/plugin';
import { shownValue } from '../openapi/messages.js';
import { Routes } from '../openapi/routes.js';
import { SchemaChecks } from '../schema/checks.js';
import { References } from '../schema/references.js';
import type { Source } from '../sources/load-source.js';
import { isTree, listOf, memberOf, textOf, treeOf, type Tree } from '../shared/values.js';

/** Bytes of a payload beyond which it is not checked: a larger one would hold up all other clients. */
const MOST_BYTES = 1024 * 1024;
const MOST_MESSAGES = 200;

interface Channel {
  /** The address with its parameters in braces. */
  readonly name: string;
  readonly messages: readonly Message[];
}

interface Message {
  readonly schema: unknown;
  readonly document: ImportFile;
  /** Whether its payload is a schema of a format that is read. */
  readonly isRead: boolean;
  readonly isJson: boolean;
  readonly checks: SchemaChecks;
}

/** What is wrong with a message. */
export interface MessageFindings {
  /** The channel that it belongs to; absent where the document has none. */
  readonly operation?: string;
  readonly violations: readonly ContractViolation[];
}

/** An AsyncAPI document that messages of a broker are held to: each must be one of those of its channel, whoever sends it. */
export class AsyncApiContract {
  /** The channels. */
  readonly operations: readonly ContractOperation[];
  readonly digest: string;
  readonly #separator: string;
  readonly #routes = new Routes<Channel>();

  /**
   * @param separator - what stands between the parts of an address, one of which a parameter stands for
   * @throws BacklotError `invalid` for what is no AsyncAPI document
   */
  constructor({ file, digest }: Source, { separator }: { readonly separator: string }) {
    this.digest = digest;
    this.#separator = separator;
    const root = file.tree;
    const version = textOf(memberOf(root, 'asyncapi')) ?? '';
    if (!isTree(root) || version === '') throw invalid('it is no AsyncAPI document: it has no "asyncapi"');
    if (!/^[23]\./.test(version)) throw invalid(`AsyncAPI ${version.slice(0, 20)} is not known; 2 and 3 are`);
    const channels = readChannels(root, file, version.startsWith('2'));
    if (channels.length === 0) throw invalid('the document has no channels with an address');
    for (const channel of channels) this.#routes.add(this.#pathOf(channel.name), channel);
    this.operations = channels.map(({ name }) => ({ name, answers: [] }));
  }

  /**
   * What is wrong with a message.
   *
   * @param side - whether a client has sent it, or a mock answers it
   * @param word - what the protocol calls an address: `topic`
   */
  checkMessage(
    side: 'request' | 'answer',
    address: string,
    payload: Uint8Array,
    word: string,
  ): MessageFindings {
    const channel = this.#routes.find(this.#pathOf(address))?.value;
    if (channel === undefined)
      return {
        violations: [
          {
            in: side,
            path: `/${word}`,
            message: 'must be a channel of the contract',
            ...shownValue(address),
          },
        ],
      };
    const found = payload.length > MOST_BYTES ? undefined : payloadFault(channel.messages, payload, side);
    return { operation: channel.name, violations: found === undefined ? [] : [found] };
  }

  #pathOf(address: string): string {
    // A slash in an address of other separators is a character as any other.
    const parts = address.split(this.#separator);
    return `/${parts.map((part) => part.replaceAll('/', '\u0001')).join('/')}`;
  }
}

function readChannels(root: Tree, file: ImportFile, isSecond: boolean): readonly Channel[] {
  const references = new References(() => undefined);
  const checks = {
    own: new SchemaChecks(references, 'json-schema'),
    openapi: new SchemaChecks(references, 'openapi'),
  };
  const messageOf = (given: unknown, from: ImportFile): readonly Message[] => {
    const { value, document } = references.follow({ value: given, document: from });
    if (Array.isArray(memberOf(value, 'oneOf')))
      return listOf(memberOf(value, 'oneOf'))
        .slice(0, MOST_MESSAGES)
        .flatMap((one) => messageOf(one, document));
    if (!isTree(value)) return [];
    const payload = treeOf(value['payload']);
    const isMulti = typeof payload['schemaFormat'] === 'string' && payload['schema'] !== undefined;
    const format = textOf(isMulti ? payload['schemaFormat'] : value['schemaFormat']) ?? '';
    const type = textOf(value['contentType']) ?? textOf(root['defaultContentType']) ?? 'application/json';
    return [
      {
        schema: isMulti ? payload['schema'] : value['payload'],
        document,
        isRead: !/avro|protobuf|raml|xsd|xml/i.test(format),
        isJson: /[/+]json\b/i.test(type),
        checks: /openapi/i.test(format) ? checks.openapi : checks.own,
      },
    ];
  };
  return Object.entries(treeOf(root['channels'])).flatMap(([key, given]): readonly Channel[] => {
    const { value, document } = references.follow({ value: given, document: file });
    if (!isTree(value)) return [];
    const name = isSecond ? key : textOf(value['address']);
    if (name === undefined) return [];
    const all = isSecond
      ? ['publish', 'subscribe'].map((word) => memberOf(value[word], 'message'))
      : Object.values(treeOf(value['messages']));
    return [{ name, messages: all.slice(0, MOST_MESSAGES).flatMap((one) => messageOf(one, document)) }];
  });
}

/** What is wrong with a payload that is none of several messages: as the one says that it goes along with the farthest. */
function payloadFault(
  messages: readonly Message[],
  payload: Uint8Array,
  side: 'request' | 'answer',
): ContractViolation | undefined {
  let nearest: ContractViolation | undefined;
  for (const message of messages) {
    const found = faultOf(message, payload, side);
    if (found === undefined) return undefined;
    if (nearest === undefined || depthOf(found) > depthOf(nearest)) nearest = found;
  }
  return nearest;
}

function depthOf({ path }: ContractViolation): number {
  return path.split('/').length;
}

function faultOf(
  { schema, document, isRead, isJson, checks }: Message,
  payload: Uint8Array,
  side: 'request' | 'answer',
): ContractViolation | undefined {
  if (schema === undefined || !isRead) return undefined;
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8');
  let value: unknown = text;
  if (isJson) {
    try {
      value = JSON.parse(text) as unknown;
    } catch {
      return { in: side, path: '/payload', message: 'must be JSON', ...shownValue(text) };
    }
  } else if (memberOf(schema, 'type') !== 'string') return undefined;
  const fault = checks.find(schema, document, side, value);
  return (
    fault && { in: side, path: `/payload${fault.path}`, message: fault.message, ...shownValue(fault.value) }
  );
}
