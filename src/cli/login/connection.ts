/** Which service the commands call, and with which session token: from the environment, or else from a profile. */
import { type ClientConfiguration, isLoopback, isSet, readClientConfiguration } from '../../config/configuration.ts';
import { type Profile, profilePath, readProfile } from '../../config/profiles.ts';
import { usageFailure } from '../failure.ts';

const defaultProfile = 'default';
let chosenProfile: string | undefined;

/** Takes the profile of `--profile`, before the first call. */
export function chooseProfile(name: string | undefined): void {
  chosenProfile = name;
}

interface ProfileFile {
  readonly name: string;
  readonly path: string;
}

interface NamedProfile extends ProfileFile {
  /** Null if it does not exist. */
  readonly profile: Profile | null;
}

/** Returns where the profile of `--profile` or LATCHKEY_PROFILE is, or else the default one. */
export function profileFile(): ProfileFile {
  const { LATCHKEY_PROFILE, XDG_CONFIG_HOME } = readClientConfiguration(process.env);
  const name = chosenProfile ?? LATCHKEY_PROFILE ?? defaultProfile;
  return { name, path: profilePath(XDG_CONFIG_HOME, name) };
}

/** Throws ConfigurationError if the profile is not safe, as `readProfile` does. */
export function currentProfile(): NamedProfile {
  const file = profileFile();
  return { ...file, profile: readProfile(file.path) };
}

interface Connection extends ClientConfiguration {
  /** The profile that completes the environment; null if none does. */
  readonly profileName: string | null;
}

/**
 * Returns the environment, completed by a profile. A profile that was not named completes only an environment that sets
 * neither the token nor another service: a login must not change what scripts do that set one of them.
 * Throws Failure if the named profile does not exist, or is for another service than LATCHKEY_URL.
 */
export function connection(): Connection {
  const environment = { ...readClientConfiguration(process.env), profileName: null };
  const isNamed = chosenProfile !== undefined || environment.LATCHKEY_PROFILE !== undefined;
  if (!isNamed && environment.LATCHKEY_TOKEN !== undefined) return environment;
  const { name, profile } = currentProfile();
  if (profile === null) {
    if (!isNamed) return environment;
    throw usageFailure('NO_PROFILE', `there is no profile ${name}: run latchkey login --profile ${name}`);
  }
  const defaults = variablesOf(profile);
  const completed = { ...readClientConfiguration(process.env, defaults), profileName: name };
  const [url, profileUrl] = [new URL(completed.LATCHKEY_URL).origin, new URL(profile.url).origin];
  if (url === profileUrl || environment.LATCHKEY_TOKEN !== undefined) return completed;
  if (!isNamed) return environment;
  // The token for one service must not reach another one.
  const advice = 'unset LATCHKEY_URL, or set LATCHKEY_TOKEN too';
  throw usageFailure(
    'OTHER_SERVICE',
    `the profile ${name} is for ${profileUrl}, and LATCHKEY_URL is ${url}: ${advice}`,
  );
}

function variablesOf({ url, verifyUrl, team, token }: Profile): NodeJS.ProcessEnv {
  return {
    LATCHKEY_URL: url,
    LATCHKEY_TOKEN: token,
    ...(verifyUrl === undefined ? {} : { LATCHKEY_VERIFY_URL: verifyUrl }),
    ...(team === undefined ? {} : { LATCHKEY_TEAM: team }),
  };
}

/**
 * Returns the verification port and its token. Throws Failure if the profile is for a service on another machine and
 * names no verification port: whoever listens at the default address of this machine would get the key.
 */
export function verificationPort(): Pick<ClientConfiguration, 'LATCHKEY_VERIFY_URL' | 'LATCHKEY_VERIFIER_TOKEN'> {
  const { profileName, ...environment } = connection();
  if (profileName === null || isSet('LATCHKEY_VERIFY_URL', process.env)) return environment;
  const { profile } = currentProfile();
  if (
    profile === null ||
    profile.verifyUrl !== undefined ||
    isLoopback(new URL(profile.url).hostname.replace(/^\[(.*)\]$/, '$1'))
  ) {
    return environment;
  }
  const advice = `run latchkey login --profile ${profileName} --verify-url <url>, or set LATCHKEY_VERIFY_URL`;
  throw usageFailure('NO_VERIFY_URL', `the profile ${profileName} names no verification port: ${advice}`);
}
