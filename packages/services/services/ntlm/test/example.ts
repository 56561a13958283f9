import { useBacklot } from '@backlot/testing';
import { NtlmClient } from 'axios-ntlm';

const backlot = useBacklot({ services: ['ntlm'] });

function connect() {
  const { NTLM_URL, NTLM_DOMAIN: domain, NTLM_USERNAME: username, NTLM_PASSWORD: password } = backlot.env;
  return NtlmClient({ username, password, domain }, { baseURL: NTLM_URL });
}

export { connect };
