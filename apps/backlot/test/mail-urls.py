"""Sends and reads a mail by what `backlot run` has told, as programs do that know urls alone."""
import imaplib
import os
import poplib
import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import urlsplit

trust = ssl.create_default_context(cafile=os.environ['BACKLOT_CA_FILE'])
smtp, imap, pop = (urlsplit(os.environ[name]) for name in ('SMTP_URL', 'IMAP_URL', 'POP3_URL'))

mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'shop@example.com', 'ann@example.com', 'by python'
mail.set_content('Hi')
assert smtp.scheme == 'smtp'
with smtplib.SMTP(smtp.hostname, smtp.port) as sender:
    sender.starttls(context=trust)
    sender.send_message(mail)
    print(sender.sock.version() is not None)

assert imap.scheme == 'imap'
with imaplib.IMAP4(imap.hostname, imap.port) as reader:
    reader.starttls(trust)
    reader.login('ann@example.com', 'any')
    reader.select('INBOX')
    print(reader.search(None, 'SUBJECT', '"by python"'))

assert pop.scheme == 'pop3'
box = poplib.POP3(pop.hostname, pop.port)
box.stls(trust)
box.user('ann@example.com')
box.pass_('any')
print(box.stat()[0])
box.quit()
