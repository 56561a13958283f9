"""smtplib with access tokens: python3 tokens.py PORT"""

import smtplib
import sys

port = int(sys.argv[1])
RESPONSES = {
    "XOAUTH2": "user=ann@example.com\x01auth=Bearer {}\x01\x01",
    "OAUTHBEARER": "n,a=ann@example.com,\x01auth=Bearer {}\x01\x01",
}

for mechanism, response in RESPONSES.items():
    for token in ("wrong", "ya29.a"):
        with smtplib.SMTP("127.0.0.1", port) as client:
            client.ehlo()
            assert mechanism in client.esmtp_features["auth"], client.esmtp_features
            try:
                code, text = client.auth(
                    mechanism,
                    # The challenge of a refusal is answered with nothing; smtplib asks again with it.
                    lambda challenge=None: response.format(token) if challenge is None else "",
                )
            except smtplib.SMTPAuthenticationError as error:
                code, text = error.smtp_code, error.smtp_error
            print(mechanism, token, code, text.decode())
