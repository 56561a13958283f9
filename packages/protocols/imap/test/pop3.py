"""poplib: python3 pop3.py PORT"""

import poplib
import sys

port = int(sys.argv[1])

client = poplib.POP3('127.0.0.1', port)
assert client.capa()['SASL'] == ['PLAIN'], client.capa()
client.user('ann')
try:
    client.pass_('wrong')
    raise AssertionError('a wrong password passed')
except poplib.error_proto as error:
    print(error.args[0].decode())
client.user('ann')
client.pass_('secret')
count, size = client.stat()
_, listing, _ = client.list()
sizes = [int(line.split()[1]) for line in listing]
assert (count, size) == (len(sizes), sum(sizes)), (count, size, sizes)
ids = [line.split()[1] for line in client.uidl()[1]]
assert len(set(ids)) == count
for number in range(1, count + 1):
    _, lines, _ = client.retr(number)
    text = b'\r\n'.join(lines) + b'\r\n'
    print(number, len(text) == sizes[number - 1], lines[-1].decode())
print(client.top(2, 1)[1][-2:])
client.dele(1)
assert client.stat()[0] == count - 1
client.rset()
assert client.stat()[0] == count
client.dele(2)
client.noop()
client.quit()

client = poplib.POP3('127.0.0.1', port)
client.user('ann')
client.pass_('secret')
print(client.stat()[0], [line.split()[1] for line in client.uidl()[1]] == [ids[0]] + ids[2:])
client.close()
