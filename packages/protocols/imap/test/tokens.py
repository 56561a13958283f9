"""imaplib with access tokens: python3 tokens.py PORT"""

import imaplib
import sys

port = int(sys.argv[1])
RESPONSES = {
    'XOAUTH2': 'user=ann@example.com\x01auth=Bearer {}\x01\x01',
    'OAUTHBEARER': 'n,a=ann@example.com,\x01auth=Bearer {}\x01\x01',
}

for mechanism, response in RESPONSES.items():
    for token in ('wrong', 'ya29.a'):
        client = imaplib.IMAP4('127.0.0.1', port)
        assert f'AUTH={mechanism}' in client.capabilities, client.capabilities
        try:
            # The challenge of a refusal is JSON, and is answered with nothing.
            status, _ = client.authenticate(
                mechanism, lambda challenge: b'' if challenge else response.format(token).encode()
            )
            print(mechanism, token, status)
        except imaplib.IMAP4.error as error:
            print(mechanism, token, error.args[0].decode() if isinstance(error.args[0], bytes) else error)
        client.logout()
