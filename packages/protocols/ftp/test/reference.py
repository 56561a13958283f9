"""ftplib, and what it is told: python3 reference.py PORT ROOT"""

import ftplib
import io
import sys

root = sys.argv[2]
ftp = ftplib.FTP()
ftp.connect('127.0.0.1', int(sys.argv[1]), timeout=30)


def say(*commands):
    """Prints the code of each answer."""
    for command in commands:
        ftp.putcmd(command)
        try:
            answer = ftp.getmultiline()
        except EOFError:
            answer = 'closed'
        print(command, '->', answer[:3])


def whole(command):
    """Prints a whole answer."""
    try:
        print(command, '->', ftp.sendcmd(command))
    except ftplib.Error as error:
        print(command, '->', str(error)[:3])


def load(command, rest=None):
    """Prints what is downloaded."""
    chunks = []
    try:
        ended = ftp.retrbinary(command, chunks.append, rest=rest)
        print(command, rest, '->', b''.join(chunks), ended[:3])
    except ftplib.Error as error:
        print(command, rest, '->', str(error)[:3])


def store(command, content, rest=None):
    try:
        print(command, rest, '->', ftp.storbinary(command, io.BytesIO(content), rest=rest)[:3])
    except ftplib.Error as error:
        print(command, rest, '->', str(error)[:3])


def names(*words):
    try:
        print('NLST', *words, '->', sorted(ftp.nlst(*words)))
    except ftplib.Error as error:
        print('NLST', *words, '->', str(error)[:3])


say('NOOP', 'PWD', 'LIST', 'RETR a', 'MKD x', 'USER', 'PASS secret', 'USER ann', 'PASS wrong', 'PASV', 'FEAT', 'SYST')
say('USER nobody', 'PASS nothing', 'USER ann', 'PASS secret', 'NOOP')
whole('SYST')
whole('PWD')
say('TYPE I', 'TYPE A', 'TYPE L 8', 'TYPE X', 'MODE S', 'MODE B', 'STRU F', 'STRU P', 'TYPE')
for command in ('MKD docs', 'MKD docs', 'MKD docs/deep', 'MKD none/deep', 'CWD docs', 'PWD', 'CDUP', 'CDUP', f'CWD {root}', 'PWD'):
    whole(command) if command in ('PWD',) else say(command)
store('STOR docs/one', b'one\n')
store('STOR docs/two', bytes(range(256)) * 300)
store('STOR none/two', b'')
store('STOR docs', b'')
store('APPE docs/one', b'two\n')
store('APPE docs/new', b'new')
store('STOR docs/one', b'TWO!\n', rest=4)
load('RETR docs/one')
load('RETR docs/one', rest=4)
load('RETR docs/one', rest=400)
load('RETR docs/none')
load('RETR docs')
for command in ('SIZE docs/one', 'SIZE docs/none', 'SIZE docs', 'MDTM docs/none'):
    say('TYPE I', command) if command == 'SIZE docs' else whole(command)
print(len(ftp.sendcmd('MDTM docs/one')))
say('MFMT 20240501120000 docs/one', 'MFMT 20240501120000 docs/none', 'MFMT wrong docs/one')
whole('MDTM docs/one')
names()
names('docs')
names('docs/one')
facts = ['type', 'size', 'modify']
print(sorted((name, [(key, value) for key, value in sorted(given.items()) if key in facts and given['type'] == 'file' and name == 'one'], given['type']) for name, given in ftp.mlsd('docs', facts=facts) if name != '..'))
lines = []
ftp.dir('docs', lines.append)
print([(line.split()[0][0], line.split()[4] if line[0] == '-' else '', line.split()[-1]) for line in sorted(lines, key=lambda line: line.split()[-1])])
say('MLST docs/one', 'MLST none', 'STAT', 'STAT docs', 'HELP', 'HELP RETR', 'HELP NONE')
say('RNTO docs/three', 'RNFR docs/none', 'RNFR docs/one', 'RNTO docs/three', 'RNFR docs/three', 'RNTO none/three')
say('DELE docs/none', 'DELE docs', 'DELE docs/three', 'RMD docs', 'RMD none', 'RMD docs/deep', 'RMD docs/two')
say('CWD none', 'CWD docs/two', 'CWD docs', 'CWD ..', f'CWD {root.rstrip("/")}/docs', 'XPWD', 'XCUP', 'XMKD x', 'XRMD x')
say('PORT 1,2,3', 'PORT wrong', 'EPRT |9|::1|1|', 'EPSV 9', 'EPSV 1', 'PASV', 'REST x', 'REST -1', 'REST 0', 'ABOR')
say('SITE HELP', 'SITE NONE', 'SITE CHMOD 644 docs/two', 'OPTS UTF8 ON', 'OPTS NONE', 'OPTS MLST size;')
say('NONE', 'SMNT x', 'AUTH TLS', 'QUIT')
