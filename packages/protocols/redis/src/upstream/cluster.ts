import type { ListenAddress } from '@backlot/core/plugin';
import { array, bulk, error, integer, nil, type Resp } from '../wire/reply.js';
import { readResp, type RespValue } from './resp-value.js';

/** Where clients find a node of the cluster. An empty host is the one that was asked. */
export type PlaceOf = (host: string, port: number) => Promise<ListenAddress>;

/** A redirection to the node that has the key. */
const REDIRECTION = /^(MOVED|ASK) (\d+) (.*):(\d+)$/;
/** A node as CLUSTER NODES and CLUSTER REPLICAS name it, with the port of the bus and perhaps a host name. */
const NODE = /^(\S+) (\S*):(\d+)(@\d+)?\S*/;
const MINUS = 0x2d;
/** What a redirection has at most. */
const LONGEST = 1024;

const BY_COMMAND: Readonly<Record<string, (answer: RespValue, placeOf: PlaceOf) => Promise<RespValue>>> = {
  'cluster|slots': rewriteSlots,
  'cluster|shards': rewriteShards,
  'cluster|nodes': rewriteNodes,
  'cluster|replicas': rewriteNodes,
  'cluster|slaves': rewriteNodes,
};

/** Whether an answer sends its client to another node. */
export function isRedirection(answer: Buffer): boolean {
  return answer[0] === MINUS && answer.length < LONGEST && REDIRECTION.test(lineOf(answer));
}

/** Whether an answer is one that only a node of a cluster gives, since it names nodes. @param command - in lower case */
export function namesNodes(command: string, answer: Buffer): boolean {
  return isRedirection(answer) || (BY_COMMAND[command] !== undefined && answer[0] !== MINUS);
}

/**
 * An answer with the addresses by which clients come to Backlot in place of those of nodes.
 *
 * @param command - the name of the command that it answers, in lower case
 * @param answer - the whole of it
 */
export async function rewriteAddresses(
  command: string,
  answer: Buffer,
  resp: Resp,
  placeOf: PlaceOf,
): Promise<Buffer> {
  if (answer[0] === MINUS) {
    const parts = answer.length < LONGEST ? REDIRECTION.exec(lineOf(answer)) : null;
    if (parts === null) return answer;
    const [, kind = '', slot = '', host = '', port] = parts;
    const place = await placeOf(host, Number(port));
    return Buffer.from(error(`${kind} ${slot} ${place.host}:${place.port}`), 'latin1');
  }
  const rewrite = BY_COMMAND[command];
  if (rewrite === undefined) return answer;
  return Buffer.from(writeResp(await rewrite(readResp(answer.toString('latin1')), placeOf), resp), 'latin1');
}

function lineOf(answer: Buffer): string {
  return answer.toString('latin1', 1, answer.length - 2);
}

/** `[[first, last, [host, port, id, more], ...], ...]`. */
async function rewriteSlots(answer: RespValue, placeOf: PlaceOf): Promise<RespValue> {
  return mapList(answer, (range) =>
    mapList(range, async (node) => {
      if (node.type !== 'array') return node;
      const [host, port, id] = node.value;
      if (host === undefined || port === undefined || id === undefined) return node;
      const place = await placeOf(textOf(host), Number(textOf(port)));
      return {
        type: 'array',
        // Without further names of it, by which clients would go past Backlot.
        value: [
          bulkOf(place.host),
          { type: 'integer', value: String(place.port) },
          id,
          { type: 'array', value: [] },
        ],
      };
    }),
  );
}

/** A list of shards, each a list or a map of names and values, and so are the nodes in it. */
async function rewriteShards(answer: RespValue, placeOf: PlaceOf): Promise<RespValue> {
  return mapList(answer, (shard) =>
    mapMember(shard, 'nodes', (nodes) =>
      mapList(nodes, async (node) => {
        const host = memberOf(node, 'endpoint') ?? memberOf(node, 'ip');
        const port = memberOf(node, 'tls-port') ?? memberOf(node, 'port');
        if (host === undefined || port === undefined) return node;
        const place = await placeOf(textOf(host), Number(textOf(port)));
        const own: Readonly<Record<string, RespValue>> = {
          ip: bulkOf(place.host),
          endpoint: bulkOf(place.host),
          hostname: bulkOf(''),
          port: { type: 'integer', value: String(place.port) },
          'tls-port': { type: 'integer', value: String(place.port) },
        };
        let rewritten = node;
        for (const [name, value] of Object.entries(own))
          rewritten = await mapMember(rewritten, name, () => Promise.resolve(value));
        return rewritten;
      }),
    ),
  );
}

/** A text with a line for each node, or a list of such lines. */
async function rewriteNodes(answer: RespValue, placeOf: PlaceOf): Promise<RespValue> {
  if (answer.type === 'array') return mapList(answer, (line) => rewriteNodes(line, placeOf));
  if (answer.type !== 'bulk' && answer.type !== 'string') return answer;
  const lines: string[] = [];
  for (const line of answer.value.split('\n')) {
    const parts = NODE.exec(line);
    if (parts === null) {
      lines.push(line);
      continue;
    }
    const [whole, id = '', host = '', port, bus = ''] = parts;
    const place = await placeOf(host, Number(port));
    lines.push(`${id} ${place.host}:${place.port}${bus}${line.slice(whole.length)}`);
  }
  return { ...answer, value: lines.join('\n') };
}

async function mapList(list: RespValue, change: (item: RespValue) => Promise<RespValue>): Promise<RespValue> {
  if (list.type !== 'array') return list;
  const value: RespValue[] = [];
  for (const item of list.value) value.push(await change(item));
  return { ...list, value };
}

async function mapMember(
  members: RespValue,
  name: string,
  change: (value: RespValue) => Promise<RespValue>,
): Promise<RespValue> {
  if (members.type !== 'array' && members.type !== 'map') return members;
  const value: RespValue[] = [];
  for (const [place, item] of members.value.entries()) {
    const before = members.value[place - 1];
    const isMember = place % 2 === 1 && before !== undefined && textOf(before) === name;
    value.push(isMember ? await change(item) : item);
  }
  return { ...members, value };
}

function memberOf(members: RespValue, name: string): RespValue | undefined {
  if (members.type !== 'array' && members.type !== 'map') return undefined;
  const place = members.value.findIndex((item, at) => at % 2 === 0 && textOf(item) === name);
  return place < 0 ? undefined : members.value[place + 1];
}

function textOf(given: RespValue): string {
  return given.type === 'bulk' || given.type === 'string' || given.type === 'integer' ? given.value : '';
}

function bulkOf(value: string): RespValue {
  return { type: 'bulk', value };
}

function writeResp(given: RespValue, resp: Resp): string {
  switch (given.type) {
    case 'nil':
      return nil(resp);
    case 'boolean':
      return given.value ? '#t\r\n' : '#f\r\n';
    case 'array':
      return array(given.value.map((item) => writeResp(item, resp)));
    case 'set':
      return `~${given.value.length}\r\n${given.value.map((item) => writeResp(item, resp)).join('')}`;
    case 'map':
      return `%${given.value.length / 2}\r\n${given.value.map((item) => writeResp(item, resp)).join('')}`;
    case 'integer':
      return integer(BigInt(given.value));
    case 'double':
      return `,${given.value}\r\n`;
    case 'string':
      return `+${given.value}\r\n`;
    case 'error':
      return error(given.value);
    case 'bulk':
      return bulk(given.value);
    case 'other':
      throw new Error('an answer about the cluster has a number or an attribute that is not known');
  }
}
