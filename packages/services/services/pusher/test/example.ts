import { useBacklot } from '@backlot/testing';
import Pusher from 'pusher';
import Client from 'pusher-js';

const backlot = useBacklot({ services: ['pusher'] });

function connectServer(): Pusher {
  const { PUSHER_APP_ID: appId, PUSHER_APP_KEY: key, PUSHER_APP_SECRET: secret, ...env } = backlot.env;
  return new Pusher({ appId, key, secret, host: env.PUSHER_HOST, port: env.PUSHER_PORT, useTLS: false });
}

function connectClient(): Client {
  const { PUSHER_APP_KEY, PUSHER_HOST, PUSHER_PORT } = backlot.env;
  return new Client(PUSHER_APP_KEY, {
    cluster: 'mt1',
    wsHost: PUSHER_HOST,
    wsPort: Number(PUSHER_PORT),
    forceTLS: false,
    enabledTransports: ['ws'],
  });
}

export { connectServer, connectClient };
