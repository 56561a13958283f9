import { AwsError } from '../../aws/errors.mjs';
import { signerOf } from '../../aws/request.mjs';

const HOUR = 3600;

function credentials({ DurationSeconds: text }, call, fallback = HOUR) {
  const duration = Number(text ?? fallback);
  if (!Number.isInteger(duration) || duration < 900 || duration > 129_600)
    throw new AwsError(
      'ValidationError',
      `1 validation error detected: Value '${String(text)}' at 'durationSeconds' failed to satisfy constraint: Member must have value between 900 and 129600`,
    );
  return {
    AccessKeyId: `ASIA${call.token(16).toUpperCase()}`,
    SecretAccessKey: call.token(40),
    SessionToken: call.token(120),
    Expiration: new Date(Math.floor(call.now / 1000) * 1000 + duration * 1000).toISOString(),
  };
}

function assume(input, call) {
  const { RoleArn: role, RoleSessionName: session } = input;
  const name = /^arn:aws[\w-]*:iam::\d{12}:role\/(?:.*\/)?([\w+=,.@-]+)$/.exec(role ?? '')?.[1];
  if (name === undefined) throw new AwsError('ValidationError', `${String(role)} is invalid`);
  if (!/^[\w+=,.@-]{2,64}$/.test(session ?? ''))
    throw new AwsError(
      'ValidationError',
      `1 validation error detected: Value '${String(session)}' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*`,
    );
  const account = role.split(':')[4];
  const made = credentials(input, call);
  // So that GetCallerIdentity knows who has these credentials.
  const arn = `arn:aws:sts::${account}:assumed-role/${name}/${session}`;
  call.put('sessions', {
    id: made.AccessKeyId,
    arn,
    account,
    user_id: `AROA${call.token(17).toUpperCase()}:${session}`,
  });
  const { user_id: user } = call.find('sessions', made.AccessKeyId);
  return { Credentials: made, AssumedRoleUser: { Arn: arn, AssumedRoleId: user }, PackedPolicySize: 0 };
}

export const operations = {
  GetCallerIdentity(_input, call) {
    const session = call.find('sessions', signerOf(call.request).accessKey);
    if (session !== undefined) return { Arn: session.arn, UserId: session.user_id, Account: session.account };
    return { Arn: `arn:aws:iam::${call.account}:root`, UserId: call.account, Account: call.account };
  },
  AssumeRole: assume,
  AssumeRoleWithWebIdentity(input, call) {
    if (!input.WebIdentityToken)
      throw new AwsError('InvalidIdentityToken', 'The web identity token that was passed is missing.');
    return { ...assume(input, call), Provider: 'backlot', SubjectFromWebIdentityToken: 'backlot' };
  },
  GetSessionToken: (input, call) => ({ Credentials: credentials(input, call, 12 * HOUR) }),
  GetFederationToken(input, call) {
    const { Name: name } = input;
    if (!name) throw new AwsError('ValidationError', 'Name must not be empty');
    const user = {
      Arn: `arn:aws:sts::${call.account}:federated-user/${name}`,
      FederatedUserId: `${call.account}:${name}`,
    };
    return { Credentials: credentials(input, call, 12 * HOUR), FederatedUser: user, PackedPolicySize: 0 };
  },
};
