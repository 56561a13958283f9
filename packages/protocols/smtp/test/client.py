"""smtplib in its default settings: python3 client.py PORT MODE"""

import smtplib
import ssl
import sys
from email.message import EmailMessage

port, mode = int(sys.argv[1]), sys.argv[2]
trusting = ssl._create_unverified_context()

message = EmailMessage()
message["From"] = "Jörg <joerg@example.com>"
message["To"] = "ann@example.com, bob@example.com"
message["Cc"] = "Carla <carla@example.com>"
message["Subject"] = "Grüße aus Köln"
message.set_content(".a dot\n..two dots\n.\nÜber\n")
message.add_alternative("<p>Über</p>", subtype="html")
message.add_attachment(b"\x00\x01\x02", maintype="application", subtype="octet-stream", filename="Überblick.bin")


def attempt(action):
    try:
        return repr(action())
    except smtplib.SMTPResponseException as error:
        return f"{type(error).__name__} {error.smtp_code} {error.smtp_error.decode()}"
    except smtplib.SMTPRecipientsRefused as error:
        return f"{type(error).__name__} {error.recipients}"
    except smtplib.SMTPException as error:
        return f"{type(error).__name__} {error}"


with (
    smtplib.SMTP_SSL("127.0.0.1", port, context=trusting)
    if mode == "implicit"
    else smtplib.SMTP("127.0.0.1", port)
) as client:
    client.ehlo_or_helo_if_needed()
    print("extensions", " ".join(sorted(client.esmtp_features)))
    if mode == "starttls":
        client.starttls(context=trusting)
    if mode.startswith("login:"):
        name, password = mode.split(":")[1:]
        print("login", attempt(lambda: client.login(name, password)))
    if mode == "utf8":
        client.sendmail("пётр@example.com", ["用户@example.com"], "Subject: ключ\r\n\r\nтекст\r\n".encode(), ["SMTPUTF8", "BODY=8BITMIME"])
    elif mode == "quick":
        print("sent", attempt(lambda: client.sendmail("ann@example.com", ["bob@example.com", "full@example.com"], "Subject: hi\n\nhello\n")))
    else:
        print("sent", attempt(lambda: client.send_message(message)))
    print("vrfy", client.verify("ann@example.com")[0], "noop", client.noop()[0], "rset", client.rset()[0])
