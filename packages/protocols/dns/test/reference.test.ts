import { describe, expect } from '@jest/globals';
import { collectCleanups, itWithTool } from '@backlot/conformance';
import packet, { type DecodedPacket } from 'dns-packet';
import { startNsd, ZONE_FILE } from './start-nsd.js';
import { encodeQuery, startHost, TcpClient } from './support.js';

const afterThis = collectCleanups();

const NAMES = [
  'example.test',
  'EXAMPLE.test',
  'www.example.test',
  'wWw.Example.Test',
  'alias.example.test',
  'chain.example.test',
  'out.example.test',
  'dangling.example.test',
  'empty.example.test',
  'mail.example.test',
  'ns1.example.test',
  'nowhere.example.test',
  'a.b.c.nowhere.example.test',
  '_sip._udp.example.test',
  '_udp.example.test',
  'naptr.example.test',
  'svc.example.test',
  'raw.example.test',
  'hinfo.example.test',
  'tree.example.test',
  'deep.tree.example.test',
  'a.deep.tree.example.test',
  'b.deep.tree.example.test',
  'octAt.example.test',
  'wild.example.test',
  'one.wild.example.test',
  'one.two.wild.example.test',
  '*.wild.example.test',
  'a.*.wild.example.test',
  'host.wild.example.test',
  'below.host.wild.example.test',
  'sub.wild.example.test',
  'x.sub.wild.example.test',
  'y.sub.wild.example.test',
  'some.alias.example.test',
  'some.lost.example.test',
  'lost.example.test',
  'child.example.test',
  'host.child.example.test',
  'ns.child.example.test',
  'hidden.child.example.test',
  'todelegated.example.test',
  'more.example.test',
  'sub.more.example.test',
  'none.more.example.test',
];

const TYPES = [
  'A',
  'AAAA',
  'NS',
  'CNAME',
  'SOA',
  'MX',
  'TXT',
  'PTR',
  'SRV',
  'CAA',
  'NAPTR',
  'DS',
  'HTTPS',
  'SVCB',
  'HINFO',
];
const NUMBERS: Readonly<Record<string, number>> = { HTTPS: 65, SVCB: 64 };

/** Everything an answer says, whatever the order of records and the spelling of names that were compressed. */
function shown(octets: Buffer) {
  const { flags = 0, ...answer } = packet.decode(octets) as DecodedPacket & { rcode?: string };
  const list = (records: readonly object[] = []): string[] =>
    records
      .filter((record) => !('type' in record && record.type === 'OPT'))
      .map((record) => JSON.stringify(record).toLowerCase())
      .sort();
  return {
    rcode: flags & 0xf,
    authoritative: (flags & packet.AUTHORITATIVE_ANSWER) !== 0,
    truncated: (flags & packet.TRUNCATED_RESPONSE) !== 0,
    questions: answer.questions,
    answers: list(answer.answers),
    authorities: list(answer.authorities),
  };
}

/** Only where there is no other way: what stands in the additional section of a referral. */
function glueOf(octets: Buffer): string[] {
  const { additionals = [], answers = [], authorities = [] } = packet.decode(octets);
  return answers.length === 0 && authorities.some(({ type }) => type === 'NS')
    ? additionals.map((record) => JSON.stringify(record)).sort()
    : [];
}

function queryOf(name: string, type: string): Buffer {
  const octets = encodeQuery(name, NUMBERS[type] === undefined ? type : 'A');
  const number = NUMBERS[type];
  if (number !== undefined) octets.writeUInt16BE(number, octets.length - 4);
  return octets;
}

/** The answers to all questions, which are sent one after the other over one connection. */
async function askAll(port: number, questions: readonly Buffer[]): Promise<Buffer[]> {
  const client = new TcpClient(port);
  for (const [index, question] of questions.entries()) {
    client.send(question);
    await client.until(() => client.answers.length > index);
  }
  return client.answers;
}

describe('a zone file', () => {
  itWithTool('nsd', 'is answered as nsd answers it', async () => {
    const { port } = await startHost({ zones: [{ file: ZONE_FILE }] });
    const reference = (await startNsd(afterThis)).port;
    const questions = NAMES.flatMap((name) => TYPES.map((type) => queryOf(name, type)));
    const ours = await askAll(port, questions);
    const theirs = await askAll(reference, questions);
    expect(theirs).toHaveLength(NAMES.length * TYPES.length);
    const pairs = ours.map((octets, index) => [octets, theirs[index] ?? Buffer.alloc(0)] as const);
    const other = pairs.filter((pair) => {
      const [one, two] = pair.map((octets) => JSON.stringify([shown(octets), glueOf(octets)]));
      return one !== two;
    });
    expect(other.map(([one]) => [shown(one), glueOf(one)])).toEqual(
      other.map(([, two]) => [shown(two), glueOf(two)]),
    );
  });

  // To questions for ANY, nsd gives one type's records (RFC 8482 section 4.1) where we give all.
  itWithTool('nsd', 'has for ANY what nsd has', async () => {
    const { port } = await startHost({ zones: [{ file: ZONE_FILE }] });
    const reference = (await startNsd(afterThis)).port;
    const questions = NAMES.map((name) => queryOf(name, 'ANY'));
    const ours = (await askAll(port, questions)).map(shown);
    const theirs = (await askAll(reference, questions)).map(shown);
    expect(ours).toEqual(
      theirs.map(({ answers, ...rest }) => ({
        ...rest,
        answers: expect.arrayContaining(answers),
      })),
    );
    expect(ours[0]?.answers).toHaveLength(7);
  });
});
