import { BadConfig } from '#lib/errors.ts'

const NAME = 'CMS_SECRET'

/** The fewest bytes that a secret may have. */
const LEAST = 32

const HINT = `Set ${NAME} to what \`openssl rand -base64 32\` prints: the same on every machine that serves the site, and kept for good.`

/**
 * Returns the secret from the environment that encrypts the private keys of a site in a database. Throws BadConfig if it is
 * missing or too short. No message contains the secret.
 */
export function secretOf(env: NodeJS.ProcessEnv): string {
  const secret = env[NAME] ?? ''
  if (secret === '') throw new BadConfig(`The environment variable ${NAME} is not set.`, undefined, HINT)
  const length = Buffer.byteLength(secret)
  if (length < LEAST) throw new BadConfig(`${NAME} has ${length} bytes, and needs ${LEAST} at least.`, undefined, HINT)
  return secret
}
