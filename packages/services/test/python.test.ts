import { expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({
  services: [
    'stripe',
    'twilio',
    'sentry',
    'elasticsearch',
    'etcd',
    'azure-blob',
    'discord',
    'oauth2',
    'oidc',
  ],
});

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

itWithTool(
  'python3:azure.storage.blob',
  'azure-storage-blob puts, pages, reads in pieces and is refused',
  async () => {
    const out = await run(`
import os
from azure.core.exceptions import ClientAuthenticationError, ResourceExistsError, ResourceNotFoundError
from azure.storage.blob import BlobServiceClient
text = os.environ['AZURE_STORAGE_CONNECTION_STRING']
service = BlobServiceClient.from_connection_string(text)
box = service.create_container('teas')
for name in ['a/1', 'a/2', 'b']:
    box.upload_blob(name, b'x' * 10, metadata={'n': name})
pages = list(box.list_blobs(results_per_page=2).by_page())
print([[blob.name for blob in page] for page in pages])
print([item.name for item in box.walk_blobs(delimiter='/')])
blob = box.get_blob_client('b')
blob.stage_block('one', b'12'); blob.stage_block('two', b'345')
from azure.storage.blob import BlobBlock
blob.commit_block_list([BlobBlock('one'), BlobBlock('two')])
print(blob.download_blob(offset=1, length=3).readall(), blob.get_blob_properties().size)
for act in [lambda: box.download_blob('none'), lambda: service.create_container('teas'), lambda: box.upload_blob('b', b'')]:
    try:
        act()
    except (ResourceNotFoundError, ResourceExistsError) as error:
        print(type(error).__name__, error.error_code)
try:
    BlobServiceClient.from_connection_string(text.replace('AccountKey=', 'AccountKey=AAAA')).get_account_information()
except ClientAuthenticationError as error:
    print(error.status_code)
`);
    expect(out.split('\n')).toEqual([
      "[['a/1', 'a/2'], ['b']]",
      "['a/', 'b']",
      "b'234' 5",
      'ResourceNotFoundError BlobNotFound',
      'ResourceExistsError ContainerAlreadyExists',
      'ResourceExistsError BlobAlreadyExists',
      '403',
    ]);
  },
);

itWithTool('python3:discord', 'discord.py logs in, posts, hears of it and is refused', async () => {
  const out = await run(`
import os, discord, json, urllib.request, yarl
discord.http.Route.BASE = os.environ['DISCORD_API'] + '/v10'
with urllib.request.urlopen(discord.http.Route.BASE + '/gateway') as told:
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(json.load(told)['url'])
intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)

@client.event
async def on_ready():
    channel = client.guilds[0].text_channels[0]
    print(client.user.name)
    await channel.send('hello')

@client.event
async def on_message(message):
    print('heard', message.content)
    await message.add_reaction('👍')
    await message.edit(content='hello again')
    print((await message.channel.fetch_message(message.id)).content)
    try:
        await message.channel.fetch_message(1)
    except discord.NotFound as error:
        print(error.status, error.code)
    await message.delete()
    print([m.content async for m in message.channel.history()])
    await client.close()

client.run(os.environ['DISCORD_TOKEN'], log_handler=None)
`);
  expect(out).toBe('backlot\nheard hello\nhello again\n404 10008\n[]');
});

itWithTool('python3:requests_oauthlib', 'requests-oauthlib gets tokens, and is refused', async () => {
  const out = await run(`
import os
os.environ['OAUTHLIB_INSECURE_TRANSPORT'] = '1'
from oauthlib.oauth2 import BackendApplicationClient, InvalidClientError, LegacyApplicationClient, InvalidGrantError
from requests_oauthlib import OAuth2Session
url = os.environ['OAUTH2_URL'] + '/token'
session = OAuth2Session(client=BackendApplicationClient('web'))
token = session.fetch_token(url, client_id='web', client_secret='secret')
print(token['token_type'], token['expires_in'])
try:
    OAuth2Session(client=BackendApplicationClient('web')).fetch_token(url, client_id='web', client_secret='guess')
except InvalidClientError as error:
    print(error.error)
person = OAuth2Session(client=LegacyApplicationClient('web'))
person.fetch_token(url, username='ann', password='password', client_id='web', client_secret='secret')
print('refresh_token' in person.token)
try:
    person.fetch_token(url, username='ann', password='guess', client_id='web', client_secret='secret')
except InvalidGrantError as error:
    print(error.error)
`);
  expect(out).toBe('Bearer 3600\ninvalid_client\nTrue\ninvalid_grant');
});

itWithTool('python3:authlib', 'authlib verifies what the provider has signed', async () => {
  const out = await run(`
import os, requests
from authlib.integrations.requests_client import OAuth2Session, OAuthError
from authlib.jose import JsonWebKey, jwt
from authlib.jose.errors import ExpiredTokenError
issuer = os.environ['OIDC_ISSUER']
told = requests.get(issuer + '/.well-known/openid-configuration').json()
client = OAuth2Session('legacy', 'secret', scope='openid email offline_access')
token = client.fetch_token(told['token_endpoint'], username='ann', password='password')
keys = JsonWebKey.import_key_set(requests.get(told['jwks_uri']).json())
claims = jwt.decode(token['id_token'], keys, claims_options={'iss': {'value': issuer}, 'aud': {'value': 'legacy'}})
claims.validate()
print(claims['sub'], client.get(told['userinfo_endpoint']).json()['email'])
client.refresh_token(told['token_endpoint'])
print(client.introspect_token(told['introspection_endpoint'], token=client.token['access_token']).json()['active'])
client.revoke_token(told['revocation_endpoint'], token=client.token['access_token'])
print(client.introspect_token(told['introspection_endpoint'], token=client.token['access_token']).json()['active'])
try:
    claims.validate(now=claims['exp'] + 1)
except ExpiredTokenError as error:
    print(error.error)
try:
    client.fetch_token(told['token_endpoint'], username='ann', password='guess')
except OAuthError as error:
    print(error.error)
`);
  expect(out).toBe('ann ann@example.com\nTrue\nFalse\nexpired_token\ninvalid_grant');
});
