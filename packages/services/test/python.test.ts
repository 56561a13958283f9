import { expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['stripe', 'twilio', 'sentry', 'elasticsearch', 'etcd'] });

/** Runs a script with the variables of the services. @returns what it has printed */
async function run(script: string): Promise<string> {
  const { out, err, code } = await runTool(PYTHON, ['-c', script], { env: { ...backlot.env } });
  expect([err, code]).toEqual(['', 0]);
  return out.trim();
}

itWithTool('python3:stripe', 'stripe makes, lists and is declined', async () => {
  const out = await run(`
import os, stripe
stripe.api_base = os.environ['STRIPE_API_BASE']
stripe.api_key = os.environ['STRIPE_SECRET_KEY']
customer = stripe.Customer.create(email='ann@example.com', metadata={'tier': 'gold'})
print(customer.email, customer.metadata.tier, len(stripe.Customer.list().data))
try:
    stripe.Customer.retrieve('cus_none')
except stripe.error.InvalidRequestError as error:
    print(error.http_status, error.code)
`);
  expect(out).toBe('ann@example.com gold 1\n404 resource_missing');
});

itWithTool('python3:twilio.rest', 'twilio sends a message and is refused one', async () => {
  const out = await run(`
import os
from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

class ToMock(TwilioHttpClient):
    def request(self, method, uri, *rest, **more):
        return super().request(method, uri.replace('https://api.twilio.com', os.environ['TWILIO_URL'] + '/api'), *rest, **more)

client = Client(os.environ['TWILIO_ACCOUNT_SID'], os.environ['TWILIO_AUTH_TOKEN'], http_client=ToMock())
message = client.messages.create(to='+15005550006', from_='+15005550006', body='hello')
print(message.body, len(client.messages.list()))
try:
    client.messages.create(to='nobody', from_='+15005550006', body='x')
except TwilioRestException as error:
    print(error.status, error.code)
`);
  expect(out).toBe('hello 1\n400 21211');
});

itWithTool('python3:sentry_sdk', 'sentry-sdk sends an error with its trace', async () => {
  await run(`
import os, sentry_sdk
sentry_sdk.init(dsn=os.environ['SENTRY_DSN'], release='1.0')
try:
    1 / 0
except ZeroDivisionError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.flush()
`);
  expect(backlot.collection('sentry:events').list()).toMatchObject([
    { release: '1.0', exception: { values: [{ type: 'ZeroDivisionError' }] } },
  ]);
});

itWithTool('python3:elasticsearch', 'elasticsearch indexes and searches', async () => {
  const out = await run(`
import os, warnings
warnings.simplefilter('ignore')
from elasticsearch import Elasticsearch, NotFoundError
client = Elasticsearch(os.environ['ELASTICSEARCH_URL'])
client.index(index='teas', id='a', document={'name': 'Green tea', 'price': 12})
client.index(index='teas', id='b', document={'name': 'Black tea', 'price': 5})
found = client.search(index='teas', query={'match': {'name': 'green'}})
print([hit['_id'] for hit in found['hits']['hits']])
try:
    client.get(index='teas', id='none')
except NotFoundError as error:
    print(error.status_code)
`);
  expect(out).toBe("['a']\n404");
});

itWithTool('python3:etcd3', 'etcd3 puts, reads, compares and watches', async () => {
  const out = await run(`
import os, warnings
warnings.simplefilter('ignore')
import etcd3
host, port = os.environ['ETCDCTL_ENDPOINTS'].rsplit(':', 1)
client = etcd3.client(host=host, port=int(port))
events, _ = client.watch('a')
client.put('a', '1')
print(client.get('a')[0].decode(), next(iter(events)).value.decode())
done, _ = client.transaction(compare=[client.transactions.value('a') == '1'], success=[client.transactions.put('a', '2')], failure=[])
print(done, client.get('a')[0].decode(), flush=True)
# The thread of its watches complains when the channel is closed.
os._exit(0)
`);
  expect(out).toBe('1 1\nTrue 2');
});
