import { useBacklot } from '@backlot/testing';
import Pusher from 'pusher';
import * as pusherJs from 'pusher-js';

const backlot = useBacklot({ services: ['pusher'] });
// Its types say of the module what is true of its CommonJS form.
const Client = pusherJs.default as unknown as typeof pusherJs.default.default;

function connectServer(): Pusher {
  const { PUSHER_APP_ID: appId, PUSHER_APP_KEY: key, PUSHER_APP_SECRET: secret, ...env } = backlot.env;
  return new Pusher({ appId, key, secret, host: env.PUSHER_HOST, port: env.PUSHER_PORT, useTLS: false });
}

function connectClient() {
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
