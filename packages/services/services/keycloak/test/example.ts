import { useBacklot } from '@backlot/testing';
import KcAdminClient from '@keycloak/keycloak-admin-client';

const backlot = useBacklot({ services: ['keycloak'] });

async function connect(): Promise<KcAdminClient> {
  const {
    KEYCLOAK_URL,
    KEYCLOAK_REALM,
    KEYCLOAK_ADMIN: username,
    KEYCLOAK_ADMIN_PASSWORD: password,
  } = backlot.env;
  const admin = new KcAdminClient({ baseUrl: KEYCLOAK_URL, realmName: 'master' });
  await admin.auth({ username, password, grantType: 'password', clientId: 'admin-cli' });
  admin.setConfig({ realmName: KEYCLOAK_REALM });
  return admin;
}

export { connect };
