import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const SCRIPT = `
import asyncio, ssl, sys
from email.message import EmailMessage
import aiosmtplib

port, mode = int(sys.argv[1]), sys.argv[2]
trusting = ssl._create_unverified_context()
message = EmailMessage()
message['From'], message['To'], message['Subject'] = 'ann@example.com', 'bob@example.com, carl@example.com', 'Grüße'
message.set_content('.Über\\n')

async def main():
    how = {'use_tls': True} if mode == 'implicit' else {}
    async with aiosmtplib.SMTP('127.0.0.1', port, tls_context=trusting, **how) as client:
        # It upgrades by itself where STARTTLS is offered.
        print(client.get_transport_info('sslcontext') is not None)
        if mode != 'clear':
            try:
                await client.login('ann', 'wrong')
            except aiosmtplib.SMTPAuthenticationError as error:
                print(error.code)
            print((await client.login('ann', 'sécret')).code)
        refused, answer = await client.send_message(message)
        print(refused, answer.split()[0])
        await asyncio.gather(*[aiosmtplib.send(f'Subject: {n}\\r\\n\\r\\nhi', sender='a@example.com', recipients=['b@example.com'], hostname='127.0.0.1', port=port) for n in range(3)] if mode == 'clear' else [])

asyncio.run(main())
`;

describe('aiosmtplib', () => {
  itWithTool('python3:aiosmtplib', 'sends, logs in and upgrades', async () => {
    const users = [{ username: 'ann', password: 'sécret' }];
    const tls = { self_signed: true };
    for (const [mode, settings, lines] of [
      ['clear', {}, ['False', '{} OK:']],
      ['starttls', { tls, auth: 'users', users }, ['True', '535', '235', '{} OK:']],
      [
        'implicit',
        { tls: { ...tls, mode: 'implicit' }, auth: 'users', users },
        ['True', '535', '235', '{} OK:'],
      ],
    ] as const) {
      const { port, emails } = await startHost(settings);
      const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port), mode]);
      expect(err).toBe('');
      expect(out.trim().split('\n')).toEqual(lines);
      expect(emails()[0]).toMatchObject({
        from: 'ann@example.com',
        to: ['bob@example.com', 'carl@example.com'],
        subject: 'Grüße',
        text: '.Über',
      });
      expect(emails()).toHaveLength(mode === 'clear' ? 4 : 1);
    }
  });
});
