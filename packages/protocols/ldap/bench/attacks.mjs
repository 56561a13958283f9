// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat, tlsAttacks } from '@backlot/tooling/attack-client';

function element(tag, ...contents) {
  const content = Buffer.concat(contents.map((each) => Buffer.from(each)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  head[0] = 0x84;
  return Buffer.concat([Buffer.from([tag]), head, content]);
}
const text = (value, tag = 0x04) => element(tag, Buffer.from(value));
const number = (value, tag = 0x02) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return element(tag, bytes);
};
let lastId = 0;
const message = (operation, controls) =>
  element(
    0x30,
    number((lastId += 1)),
    operation,
    ...(controls === undefined ? [] : [element(0xa0, controls)]),
  );

const ANY = text('objectClass', 0x87);
const search = (base, scope, filter, { size = 0, names = [], controls } = {}) =>
  message(
    element(
      0x63,
      text(base),
      number(scope, 0x0a),
      number(0, 0x0a),
      number(size),
      number(0),
      element(0x01, [0]),
      filter,
      element(0x30, ...names.map((name) => text(name))),
    ),
    controls,
  );
const add = (dn, attributes) =>
  message(
    element(
      0x68,
      text(dn),
      element(
        0x30,
        ...Object.entries(attributes).map(([name, values]) =>
          element(0x30, text(name), element(0x31, ...values.map((value) => text(value)))),
        ),
      ),
    ),
  );
const change = (dn, changes) =>
  message(
    element(
      0x66,
      text(dn),
      element(
        0x30,
        ...changes.map(([kind, name, values]) =>
          element(
            0x30,
            number(kind, 0x0a),
            element(0x30, text(name), element(0x31, ...values.map((v) => text(v)))),
          ),
        ),
      ),
    ),
  );
const equal = (name, value) => element(0xa3, text(name), text(value));
const paged = (size, cookie = '') =>
  element(0x30, text('1.2.840.113556.1.4.319'), text(element(0x30, number(size), text(cookie))));

const withClient = (name, play) => ({
  name,
  async run(port) {
    const client = await connect(port);
    // The last message of an attack: its answer is `objectClass` of the root, whatever came before.
    const settle = async () => {
      await client.send(search('', 0, ANY, { names: ['supportedLDAPVersion'] }));
      await client.until(/supportedLDAPVersion/);
    };
    await play(client, settle, port);
    client.close();
  },
});

async function fill(client, settle, top, count) {
  await client.send(add(top, { objectClass: ['domain'] }));
  for (let n = 0; n < count; n += 1000) {
    const some = Array.from({ length: 1000 }, (_, k) =>
      add(`cn=e${n + k},${top}`, { objectClass: ['person'], cn: [`e${n + k}`], sn: [`s${k}`] }),
    );
    await client.send(Buffer.concat(some));
  }
  await settle();
}

const unique = () => `dc=a${Math.random().toString(36).slice(2)}`;

export const attacks = [
  withClient('100,000 entries: 1000 clauses', async (client, settle) => {
    const top = unique();
    await fill(client, settle, top, 100_000);
    const clauses = Array.from({ length: 1000 }, (_, n) => equal('sn', `none${n}`));
    await client.send(search(top, 2, element(0xa1, ...clauses)));
    await client.send(search(top, 2, ANY));
    await client.send(search(top, 2, ANY, { names: Array.from({ length: 1000 }, (_, n) => `a${n}`) }));
    await client.send(search(top, 2, ANY, { size: 10 }));
    await client.send(message(text(top, 0x4a), element(0x30, text('1.2.840.113556.1.4.805'))));
    await settle();
  }),
  withClient('100,000 trees', async (client, settle) => {
    for (let n = 0; n < 100_000; n += 1000) {
      const some = Array.from({ length: 1000 }, (_, k) =>
        add(`cn=root${n + k}`, { objectClass: ['person'] }),
      );
      await client.send(Buffer.concat(some));
    }
    for (let n = 0; n < 10; n += 1) await settle();
  }),
  withClient('pages of one entry, and pages that nobody asks for', async (client, settle) => {
    const top = unique();
    await fill(client, settle, top, 20_000);
    for (let n = 0; n < 100; n += 1) await client.send(search(top, 2, ANY, { controls: paged(1) }));
    await settle();
    for (let n = 1; n < 2000; n += 1)
      await client.send(search(top, 2, ANY, { controls: paged(1, String(99 + n)) }));
    await settle();
  }),
  withClient('20,000 values added, changed and deleted', async (client, settle) => {
    const dn = unique();
    const values = (from, count) => Array.from({ length: count }, (_, n) => `v${from + n}`);
    await client.send(add(dn, { objectClass: ['group'], member: values(0, 15_000) }));
    await client.send(change(dn, [[0, 'member', values(15_000, 15_000)]]));
    await client.send(
      change(
        dn,
        values(40_000, 4000).map((value) => [0, 'member', [value]]),
      ),
    );
    await client.send(change(dn, [[1, 'member', values(0, 15_000)]]));
    const part = (tag) => text('v', tag);
    await client.send(
      search(
        dn,
        0,
        element(
          0xa1,
          ...Array(900).fill(element(0xa4, text('member'), element(0x30, part(0x80), part(0x82)))),
        ),
      ),
    );
    await client.send(
      search(dn, 0, element(0xa1, ...Array(1000).fill(element(0xa8, text('member'), text('none'))))),
    );
    await settle();
  }),
  withClient('100,000 values in one request', async (client, settle) => {
    await client.send(add(unique(), { member: Array.from({ length: 100_000 }, (_, n) => `v${n}`) }));
    await settle();
  }),
  withClient('300,000 clauses', async (client, settle) => {
    await client.send(search('', 2, element(0xa1, repeat('\x87\x01a', 300_000))));
    await settle();
  }),
  withClient('a filter 10,000 deep', async (client) => {
    let filter = ANY;
    for (let n = 0; n < 10_000; n += 1) filter = element(0xa2, filter);
    await client.send(search('', 2, filter));
    await client.closed();
  }),
  withClient('names of a megabyte and of 60,000 letters', async (client, settle) => {
    await client.send(search(`cn=${'x'.repeat(1_000_000)}`, 0, ANY));
    const names = ['cn=\\2c', 'cn=a+', 'cn=" ', 'cn=#04', 'a=b,', '\\'].map((unit) =>
      unit.repeat(60_000 / unit.length),
    );
    for (const name of names) await client.send(search(name, 0, ANY));
    await settle();
  }),
  withClient('a value of a megabyte against 1000 parts', async (client, settle) => {
    const dn = unique();
    await client.send(add(dn, { objectClass: ['x'], description: ['ab'.repeat(500_000)] }));
    const parts = element(0x30, ...Array.from({ length: 900 }, () => text('aab', 0x81)));
    await client.send(search(dn, 2, element(0xa4, text('description'), parts)));
    await client.send(
      search(
        dn,
        2,
        element(
          0xa1,
          ...Array(900).fill(element(0xa4, text('description'), element(0x30, text('aa', 0x81)))),
        ),
      ),
    );
    await settle();
  }),
  withClient('50,000 searches in one pipeline', async (client, settle) => {
    await client.send(Buffer.concat(Array.from({ length: 50_000 }, () => search('dc=none', 0, ANY))));
    await settle();
  }),
  {
    name: 'lengths that lie',
    async run(port) {
      for (const bytes of ['3084ffffffff', '308400100001', '30800000', '0105', '3003020101']) {
        const client = await connect(port);
        await client.send(Buffer.from(bytes, 'hex'));
        await client.send(repeat('\0', 100_000));
        client.reset();
      }
    },
  },
];

/** The request of StartTLS (RFC 4511, 4.14.1). */
const START_TLS = Buffer.from('\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037', 'latin1');
/** A bind without a name. */
const BIND = '\x30\x0c\x02\x01\x02\x60\x07\x02\x01\x03\x04\0\x80\0';

export const further = [
  { settings: { tls: { mode: 'implicit' } }, attacks: tlsAttacks('TLS', { speech: BIND }) },
  {
    settings: { tls: { mode: 'starttls' } },
    attacks: tlsAttacks('StartTLS', { speech: BIND, request: START_TLS }),
  },
];
