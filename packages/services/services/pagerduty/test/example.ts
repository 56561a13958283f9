import { useBacklot } from '@backlot/testing';
import { api } from '@pagerduty/pdjs';

const backlot = useBacklot({ services: ['pagerduty'] });

function listIncidents() {
  const { PAGERDUTY_URL: url, PAGERDUTY_TOKEN: token } = backlot.env;
  return api({ url: `${url}/incidents`, token });
}

export { listIncidents };
