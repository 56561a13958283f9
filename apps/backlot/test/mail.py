import imaplib
import smtplib
import sys

SMTP_PORT, IMAP_PORT = int(sys.argv[1]), int(sys.argv[2])


def subjects(client):
    status, [numbers] = client.search(None, 'ALL')
    assert status == 'OK', status
    return [
        client.fetch(number, '(BODY.PEEK[HEADER.FIELDS (SUBJECT)])')[1][0][1].strip()
        for number in numbers.split()
    ]


ann = imaplib.IMAP4('127.0.0.1', IMAP_PORT)
ann.login('ann@example.com', 'secret')
assert ann.select('INBOX') == ('OK', [b'0'])

with smtplib.SMTP('127.0.0.1', SMTP_PORT) as sender:
    for to, subject in (('ann@example.com', 'one'), ('bob@example.com', 'two'), ('ann@example.com', 'three')):
        sender.sendmail('shop@example.com', [to], f'Subject: {subject}\r\n\r\nText.\r\n')

ann.noop()
assert subjects(ann) == [b'Subject: one', b'Subject: three'], subjects(ann)
assert ann.store('1', '+FLAGS', '(\\Deleted)')[0] == 'OK'
assert ann.expunge() == ('OK', [b'1'])
assert ann.append('INBOX', None, None, b'Subject: own\r\n\r\nText.\r\n')[0] == 'OK'
ann.noop()
assert subjects(ann) == [b'Subject: three', b'Subject: own'], subjects(ann)
ann.logout()
print('done')
