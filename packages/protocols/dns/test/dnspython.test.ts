import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const SCRIPT = `
import sys, asyncio
import dns.asyncresolver, dns.message, dns.query, dns.resolver, dns.reversename, dns.rcode, dns.exception

port = int(sys.argv[1])
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers, resolver.port = ['127.0.0.1'], port
for name, kind in [('www.example.com', 'A'), ('www.example.com', 'AAAA'), ('alias.example.com', 'A'), ('example.com', 'MX'), ('example.com', 'TXT'), ('example.com', 'CAA'), ('_sip._tcp.example.com', 'SRV'), ('x.wild.example.com', 'A')]:
    answer = resolver.resolve(name, kind)
    print(kind, answer.canonical_name, answer.rrset.ttl, sorted(r.to_text() for r in answer))
for name, kind in [('none.example.com', 'A'), ('www.example.com', 'MX'), ('broken.example.com', 'A')]:
    try:
        resolver.resolve(name, kind)
    except dns.exception.DNSException as error:
        print(type(error).__name__)
print(resolver.resolve(dns.reversename.from_address('192.0.2.1'), 'PTR')[0])
print(resolver.resolve('www.example.com', 'A', tcp=True)[0])
query = dns.message.make_query('big.example.com', 'TXT', use_edns=0, payload=512)
answer, overTcp = dns.query.udp_with_fallback(query, '127.0.0.1', port=port, timeout=10)
print(overTcp, sum(len(s) for r in answer.answer[0] for s in r.strings), answer.edns)

async def main():
    r = dns.asyncresolver.Resolver(configure=False)
    r.nameservers, r.port = ['127.0.0.1'], port
    answers = await asyncio.gather(*[r.resolve(f'{n}.wild.example.com', 'A') for n in range(20)])
    print(len({str(a.qname) for a in answers}), {a[0].to_text() for a in answers})
asyncio.run(main())
`;

describe('dnspython', () => {
  itWithTool('python3:dns.resolver', 'resolves over UDP and TCP, and gets what is wrong', async () => {
    const { port } = await startHost({
      mocks: [
        { name: 'www.example.com', records: ['192.0.2.1', '192.0.2.2'], ttl: 77 },
        { name: 'www.example.com', type: 'AAAA', records: ['2001:db8::1'] },
        { name: 'alias.example.com', type: 'CNAME', records: ['www.example.com'] },
        { name: 'example.com', type: 'MX', records: ['10 mail.example.com', '20 spare.example.com'] },
        { name: 'example.com', type: 'TXT', records: ['v=spf1 -all'] },
        { name: 'example.com', type: 'CAA', records: ['0 issue "ca.example.net"'] },
        { name: '_sip._tcp.example.com', type: 'SRV', records: ['1 2 5060 sip.example.com'] },
        { name: '*.wild.example.com', records: ['192.0.2.9'] },
        { name: 'broken.example.com', rcode: 'SERVFAIL' },
        { name: '1.2.0.192.in-addr.arpa', type: 'PTR', records: ['www.example.com'] },
        {
          name: 'big.example.com',
          type: 'TXT',
          records: Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(200, 'x')),
        },
      ],
    });
    const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      "A www.example.com. 77 ['192.0.2.1', '192.0.2.2']",
      "AAAA www.example.com. 60 ['2001:db8::1']",
      "A www.example.com. 77 ['192.0.2.1', '192.0.2.2']",
      "MX example.com. 60 ['10 mail.example.com.', '20 spare.example.com.']",
      'TXT example.com. 60 [\'"v=spf1 -all"\']',
      'CAA example.com. 60 [\'0 issue "ca.example.net"\']',
      "SRV _sip._tcp.example.com. 60 ['1 2 5060 sip.example.com.']",
      "A x.wild.example.com. 60 ['192.0.2.9']",
      'NXDOMAIN',
      'NoAnswer',
      'NoNameservers',
      'www.example.com.',
      '192.0.2.1',
      'True 2000 0',
      "20 {'192.0.2.9'}",
    ]);
  });
});
