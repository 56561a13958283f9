# Python's ftplib against a server; says `done` when all was as it should be.
import ftplib
import io
import ssl
import sys

port, mode = int(sys.argv[1]), sys.argv[2]


def check(what, got, want):
    if got != want:
        sys.exit(f'{what}: got {got!r}, want {want!r}')


def download(ftp, name, rest=None):
    chunks = []
    ftp.retrbinary(f'RETR {name}', chunks.append, rest=rest)
    return b''.join(chunks)


if mode in ('tls', 'tls-clear'):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    ftp = ftplib.FTP_TLS(context=context)
else:
    ftp = ftplib.FTP()
ftp.connect('127.0.0.1', port, timeout=10)
ftp.login()
if mode == 'tls':
    ftp.prot_p()
if mode == 'active':
    ftp.set_pasv(False)

check('pwd', ftp.pwd(), '/')
check('download', download(ftp, 'docs/hello.txt'), b'hello\n')
check('resume', download(ftp, 'docs/hello.txt', rest=3), b'lo\n')
check('upload', ftp.storbinary('STOR up.bin', io.BytesIO(bytes(range(256)) * 100)), '226 transfer complete')
check('what was uploaded', download(ftp, 'up.bin'), bytes(range(256)) * 100)
check('lines', ftp.storlines('STOR lines.txt', io.BytesIO(b'one\ntwo\n')), '226 transfer complete')
lines = []
ftp.retrlines('RETR lines.txt', lines.append)
check('lines', lines, ['one', 'two'])
ftp.voidcmd('TYPE I')
check('the size of lines', ftp.size('lines.txt'), 8)
check('mkd', ftp.mkd('made "here"'), '/made "here"')
check('cwd', ftp.cwd('made "here"'), '250 now in "/made ""here"""')
check('append', ftp.storbinary('APPE log', io.BytesIO(b'1')), '226 transfer complete')
ftp.storbinary('APPE log', io.BytesIO(b'2'))
check('what was appended', download(ftp, 'log'), b'12')
check('nlst', ftp.nlst(), ['log'])
check('mlsd', [(name, facts['type']) for name, facts in ftp.mlsd('/docs')], [('.', 'cdir'), ('hello.txt', 'file')])
listing = []
ftp.dir('/docs', listing.append)
check('dir', [line.split()[-1] for line in listing], ['hello.txt'])
ftp.rename('log', '../moved')
check('rename', download(ftp, '/moved'), b'12')
ftp.cwd('..')
ftp.rmd('made "here"')
ftp.delete('moved')
check('mdtm', ftp.sendcmd('MDTM docs/hello.txt'), '213 20240501120000')
try:
    download(ftp, 'moved')
    sys.exit('a deleted file was downloaded')
except ftplib.error_perm as error:
    check('the error', str(error)[:3], '550')

# Gives a transfer up in the middle, as urgent data.
ftp.voidcmd('TYPE I')
connection = ftp.transfercmd('RETR docs/../large.bin')
connection.recv(1000)
check('abort', ftp.abort()[:3], '426')
connection.close()
check('the answer to the abort', ftp.getresp()[:3], '226')
check('noop', ftp.voidcmd('NOOP')[:3], '200')
ftp.quit()
print('done')
