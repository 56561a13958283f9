"""imaplib and poplib, and what they are told: python3 reference.py PORT POP3_PORT"""

import imaplib
import poplib
import sys

port, pop3_port = (int(word) for word in sys.argv[1:])
MESSAGES = [
    b'From: ann@example.com\r\nSubject: first\r\n\r\none\r\ntwo\r\n',
    b'From: bob@example.com\r\nSubject: dots\r\n\r\n.first\r\n..second\r\n.\r\nlast\r\n',
    b'Subject: head alone\r\n\r\n',
]


imap = imaplib.IMAP4('127.0.0.1', port)
try:
    imap.login('ann', 'wrong')
except imaplib.IMAP4.error:
    print('refused')
print(imap.login('ann', 'secret')[0], imap.state)
for message in MESSAGES:
    print(imap.append('INBOX', '(\\Seen)', '"01-Feb-2024 09:30:00 +0000"', message)[0])
print(imap.status('INBOX', '(MESSAGES UNSEEN)'))
print(imap.select('INBOX'))
print(imap.search(None, 'FROM', 'ann'), imap.uid('SEARCH', None, 'ALL'), imap.search('UTF-8', 'SUBJECT', 'dots'))
print(imap.fetch('1', '(BODY.PEEK[])'))
print(imap.store('3', '+FLAGS', '\\Deleted')[0], imap.expunge())
print(imap.create('Made')[0], imap.copy('1', 'Made')[0], imap.delete('Made')[0], imap.select('Made')[0])
print(imap.select('INBOX', readonly=True))
imap.logout()

box = poplib.POP3('127.0.0.1', pop3_port)
box.user('ann')
try:
    box.pass_('wrong')
except poplib.error_proto:
    print('refused')
box.close()
box = poplib.POP3('127.0.0.1', pop3_port)
print(sorted(set(box.capa()) & {'TOP', 'UIDL', 'USER', 'PIPELINING', 'RESP-CODES', 'STLS'}))
box.user('ann')
box.pass_('secret')
print(box.stat(), box.list()[1], len({line.split()[1] for line in box.uidl()[1]}))
for number in (1, 2):
    print(box.retr(number)[1:], box.top(number, 1)[1], box.list(number).split()[1:3])
print(box.dele(1)[:3], box.stat(), box.rset()[:3], box.stat(), box.noop()[:3])
for wrong in (lambda: box.retr(9), lambda: box.dele(9), lambda: box.top(9, 1), lambda: box._shortcmd('NONE')):
    try:
        print(wrong())
    except poplib.error_proto as error:
        print(error.args[0][:4])
box.dele(2)
box.quit()
box = poplib.POP3('127.0.0.1', pop3_port)
box.user('ann')
box.pass_('secret')
print(box.stat(), box.retr(1)[1])
box.quit()
