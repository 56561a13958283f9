import { useBacklot } from '@backlot/testing';
import twilio from 'twilio';

const backlot = useBacklot({ services: ['twilio'] });

class Client extends twilio.RequestClient {
  override request(options) {
    const uri = options.uri.replace(/^https:\/\/(\w+)\.twilio\.com/, `${backlot.env.TWILIO_URL}/$1`);
    return super.request({ ...options, uri });
  }
}

function connect() {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN } = backlot.env;
  return twilio(TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, { httpClient: new Client() });
}

export { connect };
