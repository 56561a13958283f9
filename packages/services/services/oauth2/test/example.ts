import { useBacklot } from '@backlot/testing';
import { ClientCredentials } from 'simple-oauth2';

const backlot = useBacklot({ services: ['oauth2'] });

function connect(): ClientCredentials {
  const { OAUTH2_URL, OAUTH2_CLIENT_ID: id, OAUTH2_CLIENT_SECRET: secret } = backlot.env;
  const auth = { tokenHost: OAUTH2_URL, tokenPath: '/oauth2/token' };
  return new ClientCredentials({ client: { id, secret }, auth });
}

export { connect };
