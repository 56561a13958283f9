import imaplib
import sys
import time

PORT = int(sys.argv[1])


def check(what, answer, expected='OK'):
    status, data = answer
    if status != expected:
        raise AssertionError(f'{what}: {status} {data}')
    return data


client = imaplib.IMAP4('127.0.0.1', PORT)
assert 'IMAP4REV1' in client.capabilities
try:
    client.login('ann', 'wrong')
    raise AssertionError('a wrong password passed')
except imaplib.IMAP4.error:
    pass
check('login', client.login('ann', 'secret'))
check('noop', client.noop())
folders = check('list', client.list())
assert b'(\\HasNoChildren) "/" Entw&APw-rfe' in folders, folders
check('lsub', client.lsub())
check('namespace', client.namespace())
check('status', client.status('INBOX', '(MESSAGES UNSEEN UIDNEXT UIDVALIDITY RECENT)'))
assert check('select', client.select('INBOX')) == [b'2']
assert check('search', client.search(None, 'UNSEEN')) == [b'1']
assert check('search with charset', client.search('UTF-8', 'SUBJECT', '"long"')) == [b'2']
fetched = check('fetch', client.fetch('1', '(FLAGS RFC822.SIZE BODY.PEEK[])'))
assert b'Subject: first' in fetched[0][1], fetched
assert check('partial', client.fetch('1', '(BODY.PEEK[TEXT]<0.2>)'))[0][1] == b'on'
check('uid fetch', client.uid('FETCH', '1:*', '(ENVELOPE BODYSTRUCTURE INTERNALDATE)'))
check('store', client.store('1', '+FLAGS', '(\\Flagged work)'))
check('copy', client.copy('1:2', 'Archive/2024'))
check('create', client.create('Made'))
check('append', client.append('Made', '(\\Seen)', imaplib.Time2Internaldate(time.time()), b'Subject: a\r\n\r\nb\r\n'))
check('rename', client.rename('Made', 'Renamed'))
check('subscribe', client.subscribe('Renamed'))
check('unsubscribe', client.unsubscribe('Renamed'))
check('delete', client.delete('Renamed'))
check('no such mailbox', client.select('Renamed'), 'NO')
check('select read-only', client.select('INBOX', readonly=True))
check('select again', client.select('INBOX'))
check('check', client.check())
check('delete flag', client.store('1', '+FLAGS', '\\Deleted'))
assert check('expunge', client.expunge()) == [b'1']
check('unselect', client.unselect())
check('select once more', client.select('INBOX'))
check('close', client.close())
check('logout', client.logout(), 'BYE')

client = imaplib.IMAP4('127.0.0.1', PORT)
check('authenticate', client.authenticate('PLAIN', lambda _: b'\0ann\0secret'))
check('logout', client.logout(), 'BYE')
print('done')
