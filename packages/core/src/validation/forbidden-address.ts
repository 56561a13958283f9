import { BlockList, isIP } from 'node:net';

const forbidden = new BlockList();
// Link-local: RFC 3927, RFC 4291 section 2.5.6. Most clouds answer for an instance's secrets at 169.254.169.254.
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
// The metadata services of clouds that use other addresses: AWS, Google, Alibaba, Azure, Oracle.
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('fd20:ce::254', 'ipv6');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addAddress('168.63.129.16', 'ipv4');
forbidden.addAddress('192.0.0.192', 'ipv4');

/** Prefixes under which an IPv6 address is another writing of the IPv4 address in its last four bytes. */
const EMBEDDING = [
  // IPv4-compatible (RFC 4291 section 2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052, RFC 8215).
  '::',
  '::ffff:0:0:0',
  '64:ff9b::',
  '64:ff9b:1::',
];
const embedding = new BlockList();
for (const prefix of EMBEDDING) embedding.addSubnet(prefix, 96, 'ipv6');
const sixToFour = new BlockList();
sixToFour.addSubnet('2002::', 16, 'ipv6');

/**
 * Whether an address is link-local or a cloud's metadata service, in whichever writing: nothing that somebody else names
 * is sent there. Loopback and private networks are what mocks talk to.
 */
export function isForbiddenAddress(address: string): boolean {
  const plain = address.replace(/%.*$/s, '');
  const family = isIP(plain);
  if (family === 4) return forbidden.check(plain, 'ipv4');
  if (family !== 6) return false;
  // A BlockList knows the IPv4-mapped form (RFC 4291 section 2.5.5.2) by itself.
  if (forbidden.check(plain, 'ipv6')) return true;
  if (embedding.check(plain, 'ipv6')) return forbidden.check(ipv4At(plain, 6), 'ipv4');
  return sixToFour.check(plain, 'ipv6') && forbidden.check(ipv4At(plain, 1), 'ipv4');
}

/** The IPv4 address in two 16-bit groups of an IPv6 address, beginning with this one. */
function ipv4At(address: string, group: number): string {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [
    ...before,
    ...Array.from({ length: 8 - before.length - after.length }, () => '0'),
    ...after,
  ];
  return groups
    .slice(group, group + 2)
    .flatMap((text) => {
      const value = Number.parseInt(text, 16);
      return [value >> 8, value & 0xff];
    })
    .join('.');
}
