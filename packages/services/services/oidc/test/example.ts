import { useBacklot } from '@backlot/testing';
import * as client from 'openid-client';

const backlot = useBacklot({ services: ['oidc'] });

function discover(): Promise<client.Configuration> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = backlot.env;
  return client.discovery(new URL(OIDC_ISSUER), OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, undefined, {
    execute: [client.allowInsecureRequests],
  });
}

export { discover };
