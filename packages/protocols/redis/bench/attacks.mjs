// What a hostile or careless client may send to a Redis in mode `stateful`, each played once over raw connections, and
// bounded in count and time. Whoever runs them watches the server meanwhile: nothing here may hold its event loop.
import { tlsAttacks } from '@backlot/tooling/attack-client';
import net from 'node:net';

/** Milliseconds after which an attack ends, whatever was answered by then. */
const MAX_TIME = 60_000;
const MEBIBYTE = 1024 * 1024;

/** A connection that sends commands and throws answers away, but for the one that it waits for. */
class Attacker {
  #socket;
  #tail = '';
  #marks = 0;
  #awaited;
  #onDrain;

  constructor(port) {
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk) => {
      this.#tail = (this.#tail + chunk).slice(-64);
      if (this.#awaited !== undefined && this.#tail.endsWith(this.#awaited.text)) this.#awaited.resolve();
    });
    this.#socket.on('drain', () => this.#onDrain?.());
    this.#socket.on('close', () => {
      this.#awaited?.resolve();
      this.#onDrain?.();
    });
  }

  /** Sends one command. */
  async send(...args) {
    await this.#write(encode(args));
  }

  /** Sends one command with very many arguments. */
  async sendLong(command, args) {
    await this.#write(encode([command, ...args]));
  }

  /** Sends commands, many at a time. */
  async sendAll(commands) {
    let bytes = '';
    for (const args of commands) {
      bytes += encode(args);
      if (bytes.length < MEBIBYTE) continue;
      await this.#write(bytes);
      bytes = '';
    }
    await this.#write(bytes);
  }

  /** Resolves when all that was sent has been answered, or the connection is closed. */
  async settle() {
    if (this.#socket.destroyed) return;
    this.#marks += 1;
    const mark = `settled-${this.#marks}-`.padEnd(24, '.');
    const answered = new Promise((resolve) => {
      this.#awaited = { text: `$24\r\n${mark}\r\n`, resolve };
    });
    await this.send('ECHO', mark);
    await answered;
  }

  /** Reads no more. */
  ignore() {
    this.#socket.pause();
  }

  close() {
    this.#socket.destroy();
  }

  async #write(bytes) {
    if (bytes === '' || this.#socket.destroyed) return;
    if (this.#socket.write(bytes, 'latin1')) return;
    await new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }
}

function encode(args) {
  const parts = [`*${args.length}\r\n`];
  for (const arg of args) {
    const text = String(arg);
    parts.push(`$${text.length}\r\n${text}\r\n`);
  }
  return parts.join('');
}

/** `count` commands, or arguments, made one by one. */
function* each(count, make) {
  for (let n = 0; n < count; n += 1) yield make(n);
}

function list(count, make) {
  return [...each(count, make)];
}

/** Fills a key with members, a thousand a command. */
function fill(command, key, count, make) {
  return each(Math.ceil(count / 1_000), (page) => [
    command,
    key,
    ...list(Math.min(1_000, count - page * 1_000), (n) => make(page * 1_000 + n)).flat(),
  ]);
}

function keys(count, make) {
  return each(Math.ceil(count / 1_000), (page) => [
    'MSET',
    ...list(1_000, (n) => [make(page * 1_000 + n), 'v']).flat(),
  ]);
}

/** Makes an attack of one connection, which finds the data empty and leaves it empty. */
function attack(name, play) {
  return {
    name,
    async run(port, api) {
      const attackers = [];
      const connect = () => {
        const attacker = new Attacker(port);
        attackers.push(attacker);
        return attacker;
      };
      const main = connect();
      let timer;
      const tooLong = new Promise((resolve) => {
        timer = setTimeout(resolve, MAX_TIME);
      });
      const playAll = async () => {
        await main.send('FLUSHALL');
        await play(main, connect, api);
        await main.settle();
        await main.send('FLUSHALL');
        await main.settle();
      };
      try {
        await Promise.race([playAll(), tooLong]);
      } finally {
        clearTimeout(timer);
        for (const attacker of attackers) attacker.close();
      }
    },
  };
}

export const settings = { mode: 'stateful' };

export const attacks = [
  attack('KEYS with hostile patterns over 1,000,000 keys', async (main) => {
    await main.sendAll(keys(1_000_000, (n) => `a:a:a:a:${n}:aaaaaaaaaaaa`));
    await main.settle();
    await main.sendAll([
      ['KEYS', '*a*a*a*a*b'],
      ['KEYS', '*a?a[a-z]a*?b'],
      ['KEYS', '*'],
    ]);
  }),
  attack('patterns over a key of 16 MiB', async (main) => {
    await main.send('SET', 'a'.repeat(16 * MEBIBYTE), 'v');
    await main.sendAll([
      ['KEYS', `*${'a'.repeat(1_000)}b`],
      ['KEYS', `*${'a?'.repeat(500)}b*`],
      ['KEYS', `${'a*'.repeat(500)}b`],
      ['SCAN', '0', 'MATCH', `*${'[a-z]'.repeat(200)}b*`, 'COUNT', '1000'],
    ]);
  }),
  attack('300,000 PSUBSCRIBE, then PUBLISH', async (main, connect) => {
    for (let connection = 0; connection < 20; connection += 1) {
      const subscriber = connect();
      await subscriber.send('HELLO', '3');
      await subscriber.sendAll(each(15_000, (n) => ['PSUBSCRIBE', `*${connection}-${n}?*x`]));
      await subscriber.settle();
    }
    await main.sendAll(each(20, (n) => ['PUBLISH', `${'a'.repeat(1_000)}${n}`, 'hello']));
  }),
  attack(
    'one subscriber with 16,000 patterns that all match, and messages of 1 MiB',
    async (main, connect) => {
      const subscriber = connect();
      await subscriber.send(
        'PSUBSCRIBE',
        ...list(16_000, (n) => `*${'?'.repeat(n % 50)}*${'*'.repeat(n % 20)}a`),
      );
      subscriber.ignore();
      await main.sendAll(each(20, () => ['PUBLISH', 'a'.repeat(100), 'x'.repeat(MEBIBYTE)]));
    },
  ),
  attack('1,000 subscribers and messages of 16 MiB', async (main, connect) => {
    for (let n = 0; n < 1_000; n += 1) {
      const subscriber = connect();
      await subscriber.send('SUBSCRIBE', 'news');
      subscriber.ignore();
    }
    await main.settle();
    await main.sendAll(each(3, () => ['PUBLISH', 'news', 'x'.repeat(16 * MEBIBYTE)]));
  }),
  attack('ZREMRANGEBYRANK and ranges of 500,000 members', async (main) => {
    await main.sendAll(fill('ZADD', 'z', 500_000, (n) => [(n * 7919) % 500_000, `member${n}`]));
    await main.sendAll(each(2_000, (n) => ['ZRANGE', 'z', n * 200, n * 200 + 10]));
    await main.sendAll(each(2_000, (n) => ['ZRANK', 'z', `member${n}`]));
    await main.sendAll([
      ['ZRANGE', 'z', '0', '-1', 'WITHSCORES'],
      ['ZRANGEBYSCORE', 'z', '-inf', '+inf'],
      ['ZRANGESTORE', 'y', 'z', '0', '-1'],
      ['ZREMRANGEBYRANK', 'z', '0', '-2'],
      ['ZPOPMIN', 'y', '500000'],
    ]);
  }),
  attack('ZADD with 500,000 members at once', async (main) => {
    await main.sendLong('ZADD', ['z', ...list(500_000, (n) => [(n * 7919) % 500_000, `member${n}`]).flat()]);
    await main.sendLong('ZREM', ['z', ...list(500_000, (n) => `member${n}`)]);
  }),
  attack('2,000 LINSERT into 300,000 elements', async (main) => {
    await main.sendAll(fill('RPUSH', 'l', 300_000, (n) => `element${n}`));
    await main.sendAll(each(2_000, (n) => ['LINSERT', 'l', 'BEFORE', 'element299999', `new${n}`]));
    await main.sendAll(each(500, (n) => ['LPOS', 'l', `nobody${n}`]));
    await main.sendAll(each(500, (n) => ['LREM', 'l', '0', `nobody${n}`]));
    await main.sendAll(each(5_000, (n) => ['LSET', 'l', 1_000 + n * 50, 'x']));
  }),
  attack('lists of 2,000,000 elements as a whole', async (main) => {
    await main.sendAll(fill('RPUSH', 'l', 2_000_000, () => 'x'));
    await main.sendAll([
      ['LRANGE', 'l', '0', '-1'],
      ['LPOS', 'l', 'x', 'COUNT', '0'],
      ['COPY', 'l', 'copy'],
      ['LREM', 'copy', '-1000000', 'x'],
      ['LTRIM', 'l', '1000000', '1000010'],
      ['LPOP', 'copy', '1000000'],
    ]);
  }),
  attack('sets and hashes of 500,000 members as a whole', async (main) => {
    await main.sendAll(fill('SADD', 's', 500_000, (n) => [`member${n}`]));
    await main.sendAll(fill('SADD', 't', 500_000, (n) => [`member${n * 2}`]));
    await main.sendAll(fill('HSET', 'h', 300_000, (n) => [`field${n}`, `value${n}`]));
    await main.sendAll([
      ['SMEMBERS', 's'],
      ['HGETALL', 'h'],
      ['HVALS', 'h'],
      ['SUNION', ...list(1_000, (n) => (n % 2 === 0 ? 's' : 't'))],
      ['SINTERSTORE', 'both', 's', 't'],
      ['SDIFF', 's', 't'],
      ['SUNIONSTORE', 'all', 's', 't'],
      ['SSCAN', 's', '0', 'COUNT', '10000000', 'MATCH', '*1*2*3*x'],
      ['HSCAN', 'h', '0', 'COUNT', '10000000'],
      ['SRANDMEMBER', 's', '-1000000'],
      ['SPOP', 's', '400000'],
      ['HRANDFIELD', 'h', '200000', 'WITHVALUES'],
    ]);
    await main.sendAll(each(10_000, () => ['SRANDMEMBER', 't']));
    await main.sendAll(each(10_000, () => ['SPOP', 't']));
  }),
  attack('sorted sets of 300,000 members combined', async (main) => {
    await main.sendAll(fill('ZADD', 'y', 300_000, (n) => [n, `member${n}`]));
    await main.sendAll(fill('ZADD', 'z', 300_000, (n) => [300_000 - n, `member${n * 2}`]));
    await main.sendAll([
      ['ZUNIONSTORE', 'u', '2', 'y', 'z'],
      ['ZINTERSTORE', 'i', '2', 'y', 'z', 'WEIGHTS', '2', '3'],
      ['ZDIFF', '2', 'y', 'z', 'WITHSCORES'],
      ['ZUNION', '100000', ...list(100_000, () => 'y')],
    ]);
  }),
  attack('commands with a million keys', async (main) => {
    const million = list(1_000_000, (n) => `key${n}`);
    await main.sendLong(
      'MSET',
      million.slice(0, 500_000).flatMap((key) => [key, 'v']),
    );
    await main.sendLong('MGET', million);
    await main.sendLong('EXISTS', million);
    await main.sendLong('BLPOP', [...million, '1']);
    await main.sendLong('WATCH', million);
    await main.sendLong('SINTER', million);
    await main.sendLong('DEL', million);
  }),
  attack('SCAN, RANDOMKEY and FLUSHALL over 1,000,000 keys', async (main) => {
    await main.sendAll(keys(1_000_000, (n) => `key${n}`));
    await main.send('SCAN', '0', 'COUNT', '1000000000', 'MATCH', '*x*');
    await main.sendAll(each(2_000, (n) => ['SCAN', (n * 499) % 1_000_000]));
    await main.sendAll(each(10_000, () => ['RANDOMKEY']));
    await main.sendAll([['SWAPDB', '0', '1'], ['SWAPDB', '0', '1'], ['FLUSHDB'], ['DBSIZE']]);
  }),
  attack('500,000 keys that expire at one moment', async (main) => {
    const moment = Date.now() + 4_000;
    await main.sendAll(each(500_000, (n) => ['SET', `key${n}`, 'v', 'PXAT', moment + 1_000 * (n % 2)]));
    await main.settle();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, moment + 1_500 - Date.now())));
    await main.sendAll([['DBSIZE'], ['INFO'], ['RANDOMKEY']]);
  }),
  attack('a transaction of 100,000 commands', async (main) => {
    await main.sendAll(fill('RPUSH', 'l', 1_000, (n) => `element${n}`));
    await main.send('MULTI');
    await main.sendAll(
      each(100_000, (n) => (n % 100 === 0 ? ['LRANGE', 'l', '0', '-1'] : ['SET', `key${n}`, 'v'])),
    );
    await main.send('EXEC');
  }),
  attack('strings of 60 MiB', async (main) => {
    await main.send('SET', 'large', 'x'.repeat(60 * MEBIBYTE));
    await main.sendAll(
      list(20, (n) => [
        ['APPEND', 'large', 'y'],
        ['SETRANGE', 'large', n * 1_000, 'z'],
        ['SETBIT', 'large', n * 8_000, '1'],
        ['GETRANGE', 'large', '0', '10'],
      ]).flat(),
    );
    await main.sendAll([
      ['GET', 'large'],
      ['MGET', 'large', 'large', 'large'],
    ]);
  }),
  attack('scripts with as much JSON as one may take', async (main) => {
    const script = 'return #cjson.encode(cjson.decode(ARGV[1]))';
    const object = Object.fromEntries(each(16_000, (n) => [`key${n}`, n]));
    await main.sendAll([
      ['EVAL', script, '0', JSON.stringify(list(32_000, (n) => n))],
      ['EVAL', script, '0', JSON.stringify(object)],
      ['EVAL', script, '0', JSON.stringify(list(16_000, () => []))],
      ['EVAL', script, '0', JSON.stringify('x'.repeat(4_000_000))],
      ['EVAL', script, '0', JSON.stringify('\n'.repeat(100_000))],
    ]);
  }),
  attack('answers of terabytes that nobody reads', async (main, connect) => {
    await main.send('SET', 'large', 'x'.repeat(30 * MEBIBYTE));
    await main.sendAll(fill('RPUSH', 'l', 500_000, (n) => `element${n}`));
    await main.settle();
    for (let n = 0; n < 20; n += 1) {
      const reader = connect();
      reader.ignore();
      await reader.send('MGET', ...list(100_000, () => 'large'));
      await reader.sendAll(each(100, () => ['LRANGE', 'l', '0', '-1']));
    }
  }),
  attack('1,000 clients that wait for one key, and for each other', async (main, connect) => {
    const waiters = list(1_000, connect);
    for (const [n, waiter] of waiters.entries())
      await waiter.sendAll([
        ['BLPOP', 'all', '0'],
        ['BLPOP', `chain${n}`, '0'],
        ['RPUSH', `chain${n + 1}`, 'x'],
      ]);
    await main.settle();
    await main.send('RPUSH', 'all', ...list(2_000, () => 'x'));
    await main.send('RPUSH', 'chain0', 'x');
    await main.send('BLPOP', 'chain1000', '10');
  }),
  attack('numbers and options of megabytes', async (main) => {
    const digits = '1'.repeat(MEBIBYTE);
    await main.sendAll([
      ['ZADD', 'z', `${digits}x`, 'a'],
      ['INCRBYFLOAT', 'f', `${digits}.${digits}x`],
      ['SET', 'a', '1', digits],
      [digits, digits],
      ['CLIENT', 'KILL', ...list(100_000, () => ['ID', '99999999']).flat()],
      ['COMMAND', 'INFO', ...list(500_000, () => 'get')],
      ['CONFIG', 'GET', ...list(100_000, () => '*a*a*a*b')],
    ]);
  }),
  attack('200 clients with long commands in pipelines at once', async (main, connect) => {
    await main.send('SET', 'large', 'x'.repeat(MEBIBYTE));
    await main.settle();
    const clients = list(200, connect);
    await Promise.all(clients.map((client) => client.sendAll(each(10, () => ['BITCOUNT', 'large']))));
    await Promise.all(clients.map((client) => client.settle()));
  }),
  attack('a snapshot of 500,000 keys, put back twice', async (main, _connect, api) => {
    const post = async (path) => {
      const response = await fetch(`http://127.0.0.1:${api}/api/${path}`, { method: 'POST' });
      return JSON.parse((await response.text()) || '{}');
    };
    await main.sendAll(keys(500_000, (n) => `key${n}`));
    await main.settle();
    const { id } = await post('snapshots');
    await main.settle();
    for (let count = 0; count < 2; count += 1) {
      await post(`snapshots/${id}/restore`);
      await main.send('SET', `new${count}`, 'x');
      await main.settle();
    }
  }),
  attack('a pipeline of 300,000 commands', async (main) => {
    await main.sendAll(each(300_000, (n) => (n % 2 === 0 ? ['INCR', 'counter'] : ['GET', 'counter'])));
  }),
];

export const further = [
  { settings: { ...settings, tls: { enabled: true } }, attacks: tlsAttacks('TLS', { speech: 'PING\r\n' }) },
];
