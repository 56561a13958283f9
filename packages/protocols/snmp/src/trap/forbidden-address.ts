import { BlockList, isIPv6 } from 'node:net';

const forbidden = new BlockList();
// Link-local (RFC 3927, RFC 4291 section 2.5.6); clouds tell an instance's secrets at 169.254.169.254.
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
// Where other clouds have their metadata: Alibaba, Azure, Oracle, AWS, Google.
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192'])
  forbidden.addAddress(address, 'ipv4');
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) forbidden.addAddress(address, 'ipv6');
// The same IPv4 addresses as translators write them: NAT64 (RFC 6052), 6to4 (RFC 3056).
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
forbidden.addSubnet('2002:a9fe::', 32, 'ipv6');

/** Whether an address is link-local or a cloud's metadata service: traps never go there. */
export function isForbiddenAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  return forbidden.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}
