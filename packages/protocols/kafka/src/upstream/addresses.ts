import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import type { Api } from '../wire/api.js';
import { apiVersions } from '../wire/apis/api-versions.js';
import { describeCluster } from '../wire/apis/describe-cluster.js';
import { fetch } from '../wire/apis/fetch.js';
import { findCoordinator } from '../wire/apis/find-coordinator.js';
import { metadata } from '../wire/apis/metadata.js';
import { produce } from '../wire/apis/produce.js';
import { readMessage, skipTags } from '../wire/read-message.js';
import { writeMessage } from '../wire/write-message.js';

/** Where clients find a broker. */
export type PlaceOf = (
  host: string,
  port: number,
) => Promise<{ readonly host: string; readonly port: number }>;

/** An address within an answer. */
interface Node {
  host: string;
  port: number;
}

/** From version 10 on, answers to Produce have addresses of brokers in tags (KIP-951). */
const LAST_PRODUCE = 9;
/** APIs whose answers have addresses and are not read here: DescribeQuorum, ShareFetch and ShareAcknowledge. */
const UNREAD: ReadonlySet<number> = new Set([55, 78, 79]);

/** What clients are told of versions: no later ones of what is read here. Later ones of others pass. */
const LAST: ReadonlyMap<number, number> = new Map([
  [produce.key, LAST_PRODUCE],
  ...[fetch, metadata, findCoordinator, describeCluster, apiVersions].map(
    ({ key, max }) => [key, max] as const,
  ),
]);

/** The APIs whose answers are written anew. */
const REWRITTEN: ReadonlyMap<number, Api> = new Map<number, Api>(
  [metadata, findCoordinator, describeCluster, apiVersions].map((api) => [api.key, api as unknown as Api]),
);

/** Whether answers to an API are written anew. */
export function isRewritten(key: number): boolean {
  return REWRITTEN.has(key);
}

/**
 * Writes an answer anew, with the addresses of brokers by which clients come to Backlot, and the versions that are read here.
 *
 * @param frame - with its length
 * @throws Error for a version that is not read here, or an answer that is none
 */
export async function rewriteAnswer(
  frame: Buffer,
  key: number,
  version: number,
  placeOf: PlaceOf,
): Promise<Buffer> {
  const api = REWRITTEN.get(key);
  if (api === undefined) return frame;
  const reader = new ByteReader(frame, 4);
  const correlationId = reader.i32();
  // An answer in version 0 says that the version is too new.
  const isTooNew = key === apiVersions.key && (version > api.max || frame.readInt16BE(8) !== 0);
  if (isTooNew) return frame;
  if (version > api.max)
    throw new Error(
      `an answer to ${api.name} of version ${version}, whose addresses cannot be replaced; up to ${api.max} they are`,
    );
  const isFlexible = version >= api.flexible;
  const hasTags = isFlexible && key !== apiVersions.key;
  if (hasTags) skipTags(reader);
  const answer = readMessage(api.response, reader, version, isFlexible) as Record<string, unknown>;
  if (key === apiVersions.key) answer['apiKeys'] = cutVersions(answer['apiKeys'] as ApiRange[]);
  else for (const node of nodesIn(answer)) Object.assign(node, await placeOf(node.host, node.port));
  const writer = new ByteWriter(frame.length).u32(0).i32(correlationId);
  if (hasTags) writer.u8(0);
  writeMessage(api.response, answer, writer, version, isFlexible);
  return Buffer.from(writer.setU32(0, writer.length - 4).finish());
}

interface ApiRange {
  readonly apiKey: number;
  readonly minVersion: number;
  readonly maxVersion: number;
}

function cutVersions(keys: readonly ApiRange[]): ApiRange[] {
  return keys
    .map((range) => ({
      ...range,
      maxVersion: Math.min(range.maxVersion, LAST.get(range.apiKey) ?? Infinity),
    }))
    .filter(({ apiKey, minVersion, maxVersion }) => !UNREAD.has(apiKey) && minVersion <= maxVersion);
}

/** The addresses in an answer; one without a port is none. */
function nodesIn(answer: Record<string, unknown>): Node[] {
  const lists = [answer['brokers'], answer['coordinators'], [answer]];
  return lists
    .flatMap((list) => (Array.isArray(list) ? (list as Node[]) : []))
    .filter(({ host, port }) => typeof host === 'string' && host !== '' && port > 0);
}
