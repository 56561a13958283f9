import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from '@backlot/kit';
import { ReplyError } from '../reply-error.js';
import type { CommandContext } from './command-context.js';
import type { Command } from './command.js';

const FIRST_FREE_PORT = 1024;
const PROTOCOL_IPV4 = '1';
const PROTOCOL_IPV6 = '2';

/** PASV: opens a port on the IPv4 address that the client is connected to. */
export const pasv: Command = {
  syntax: 'PASV',
  run: async (session) => {
    checkNotExtendedOnly(session);
    const local = localAddress(session);
    const shown = session.services.ports.passiveHost ?? local;
    if (!isIPv4(shown)) throw new ReplyError(425, 'PASV is for IPv4; use EPSV');
    const port = await openPassive(session, local);
    session.reply(227, `Entering Passive Mode (${shown.replaceAll('.', ',')},${port >> 8},${port & 255}).`);
  },
};

/** EPSV: opens a port on the address that the client is connected to (RFC 2428, section 3). */
export const epsv: Command = {
  syntax: 'EPSV [1|2|ALL]',
  run: async (session, argument) => {
    if (/^ALL$/i.test(argument)) {
      session.isExtendedOnly = true;
      session.reply(200, 'EPSV only from now on');
      return;
    }
    const local = localAddress(session);
    const own = isIPv4(local) ? PROTOCOL_IPV4 : PROTOCOL_IPV6;
    if (argument !== '' && !/^\d+$/.test(argument))
      throw new ReplyError(501, 'write EPSV, EPSV 1, EPSV 2 or EPSV ALL');
    if (argument !== '' && argument !== own)
      throw new ReplyError(522, `network protocol not supported, use (${own})`);
    const port = await openPassive(session, local);
    session.reply(229, `Entering Extended Passive Mode (|||${port}|)`);
  },
};

/** PORT: names a port of the client, IPv4. */
export const port: Command = {
  syntax: 'PORT <h1>,<h2>,<h3>,<h4>,<p1>,<p2>',
  run: (session, argument) => {
    checkNotExtendedOnly(session);
    const numbers = /^\d{1,3}(?:,\d{1,3}){5}$/.test(argument) ? argument.split(',').map(Number) : [];
    const [high = 0, low = 0] = numbers.slice(4);
    if (numbers.length === 0 || numbers.some((each) => each > 255)) {
      throw new ReplyError(501, 'write PORT h1,h2,h3,h4,p1,p2 with numbers up to 255');
    }
    useActive(session, numbers.slice(0, 4).join('.'), high * 256 + low);
    session.reply(200, 'PORT is taken');
  },
};

/** EPRT: names a port of the client, IPv4 or IPv6 (RFC 2428, section 2). */
export const eprt: Command = {
  syntax: 'EPRT |<1|2>|<address>|<port>|',
  run: (session, argument) => {
    checkNotExtendedOnly(session);
    const delimiter = argument.charAt(0);
    const [, protocol = '', address = '', digits = '', end] = argument.split(delimiter);
    if (delimiter === '' || end !== '' || !/^\d{1,5}$/.test(digits) || !/^\d+$/.test(protocol)) {
      throw new ReplyError(501, 'write EPRT |1|address|port| or EPRT |2|address|port|');
    }
    if (protocol !== PROTOCOL_IPV4 && protocol !== PROTOCOL_IPV6) {
      throw new ReplyError(522, 'network protocol not supported, use (1,2)');
    }
    if (!(protocol === PROTOCOL_IPV4 ? isIPv4(address) : isIPv6(address))) {
      throw new ReplyError(501, `${address} is no address of network protocol ${protocol}`);
    }
    useActive(session, plainAddress(address), Number(digits));
    session.reply(200, 'EPRT is taken');
  },
};

async function openPassive(session: CommandContext, host: string): Promise<number> {
  session.closeChannel();
  const { connection, services } = session;
  const { port: number, channel } = await services.ports.listen(connection, host);
  if (connection.isClosed) channel.abort();
  else session.channel = channel;
  return number;
}

/** Takes a port of the client, and of nobody else: the server must not connect to other machines for it (RFC 2577). */
function useActive(session: CommandContext, host: string, number: number): void {
  const { remoteAddress } = session.connection;
  if (!isSameAddress(host, remoteAddress)) throw new ReplyError(500, `${host} is not your address`);
  if (number < FIRST_FREE_PORT || number > 65_535) {
    throw new ReplyError(500, `port ${number} is not taken, it must be ${FIRST_FREE_PORT} to 65535`);
  }
  session.closeChannel();
  session.channel = session.services.ports.reach(remoteAddress, number);
}

function checkNotExtendedOnly(session: CommandContext): void {
  if (session.isExtendedOnly) throw new ReplyError(503, 'after EPSV ALL there is only EPSV');
}

function localAddress({ connection }: CommandContext): string {
  return plainAddress(connection.socket.localAddress ?? '127.0.0.1');
}

/** Whether two addresses are one, in whichever writing: an IPv6 address has many, and those of IPv4 peers among them. */
function isSameAddress(given: string, own: string): boolean {
  const [plain = ''] = own.split('%', 1);
  if (isIP(plain) === 0 || isIP(given) === 0) return false;
  const list = new BlockList();
  list.addAddress(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  return list.check(given, isIPv4(given) ? 'ipv4' : 'ipv6');
}
