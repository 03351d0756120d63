import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { MOST_PACKED } from './archive.ts'
import { NotTrusted, PackageFault } from './fault.ts'

/** The DER of a public key of Ed25519 up to its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const PUBLIC = /^ed25519:([A-Za-z0-9+/]{43}=)$/
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/

/** The name, version and bytes that a package claims, and its proof. */
export interface Claim {
  readonly name: string
  readonly version: string
  /** `sha512-<base64>` of the package. */
  readonly integrity: string
  /** Base64 of an Ed25519 signature over name, version and integrity. */
  readonly signature?: string | undefined
}

/** Returns `sha512-<base64>` of bytes. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

/** Returns whether a text has the form of a signature. */
export function isSignature(text: string): boolean {
  return SIGNATURE.test(text)
}

/** Returns whether a text has the form of a public key: `ed25519:<base64>`. */
export function isPublicKey(text: string): boolean {
  return PUBLIC.test(text)
}

/** Makes a pair of keys: the private one as PEM (PKCS #8), the public one as `ed25519:<base64>`. */
export function makeKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { privateKey: pem, publicKey: publicKeyOf(pem) }
}

/** Returns the public key of a private one. Throws PackageFault where the text is none of Ed25519. */
export function publicKeyOf(pem: string): string {
  const der = createPublicKey(privateOf(pem)).export({ type: 'spki', format: 'der' })
  return `ed25519:${der.subarray(SPKI.length).toString('base64')}`
}

/** Signs what a package claims to be. */
export function signClaim(claim: Claim, pem: string): string {
  return sign(null, saidBy(claim), privateOf(pem)).toString('base64')
}

/** Returns the one of the keys that has signed a claim; undefined where it is none of them. */
export function signerOf(claim: Claim, keys: readonly string[]): string | undefined {
  const { signature } = claim
  if (signature === undefined || !isSignature(signature)) return undefined
  return keys.find((key) => isPublicKey(key) && verify(null, saidBy(claim), publicOf(key), Buffer.from(signature, 'base64')))
}

/**
 * Checks a package before anything of it is read: its size, its sha512, then its signature by one of the trusted keys. Returns the
 * key; undefined where no key is trusted, so that nothing can be said. Throws PackageFault, and NotTrusted for the signature.
 */
export function mustBeProven(bytes: Uint8Array, claim: Claim, keys: readonly string[]): string | undefined {
  const named = `${claim.name} ${claim.version}`
  if (bytes.length > MOST_PACKED) throw new PackageFault(`The package of ${named} is over 20 MiB.`)
  if (integrityOf(bytes) !== claim.integrity)
    throw new PackageFault(`The package of ${named} is not what its sha512 says: it was changed, or came damaged.`)
  if (keys.length === 0) return undefined
  const signer = signerOf(claim, keys)
  if (signer !== undefined) return signer
  throw new NotTrusted(
    claim.signature === undefined ? `${named} is not signed.` : `${named} is not signed by a key that is trusted here.`,
    undefined,
    'modules.signing_keys lists the keys that are. Ask its author for theirs, by another way than the registry.',
  )
}

function saidBy({ name, version, integrity }: Claim): Buffer {
  return Buffer.from(`${name}@${version}\n${integrity}`)
}

function publicOf(key: string): KeyObject {
  const bytes = Buffer.from(PUBLIC.exec(key)?.[1] ?? '', 'base64')
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
}

function privateOf(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Told below.
  }
  throw new PackageFault('The key is no private key of Ed25519.', undefined, 'Make one with `cms module:keygen`.')
}
