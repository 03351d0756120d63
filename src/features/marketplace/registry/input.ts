import { isDeepStrictEqual } from 'node:util'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { MOST_PACKED } from '#packages/archive.ts'
import { PackageFault } from '#packages/fault.ts'
import { type Manifest, manifestOf } from '#packages/manifest.ts'
import { inspect } from '#packages/package.ts'
import { integrityOf, isSignature } from '#packages/proof.ts'
import type { StoredVersion } from './stored.ts'

/** A version that was sent to be published. */
export interface Published {
  readonly version: Omit<StoredVersion, 'parts' | 'publishedAt'>
  readonly readme: string
  /** Its package in base64; '' where it is elsewhere. */
  readonly base64: string
}

/** Reads what is published: a package, whose manifest says what it is, or an address where it is. Throws InvalidInput. */
export async function readPublished(body: unknown): Promise<Published> {
  const { package: base64, repository, signature, ...said } = body as Readonly<Record<string, unknown>>
  const errors: FieldErrors = {}
  if (typeof repository === 'string' && !isAddress(repository))
    errors.repository = ['The repository must be an address of https.']
  if (typeof signature === 'string' && !isSignature(signature))
    errors.signature = ['The signature must be one of Ed25519, in base64.']
  if (base64 === undefined && repository === undefined)
    errors.package = ['The package is required, in base64; or a repository, where it is elsewhere.']
  if (base64 === undefined && signature !== undefined) errors.signature = ['There is no package that it could be of.']
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  const elsewhere = { ...(typeof repository === 'string' && { repository }) }
  const proof = { signature: typeof signature === 'string' ? signature : undefined, withdrawnAt: undefined }
  if (typeof base64 !== 'string') {
    const manifest = inField('manifest', () => manifestOf({ api: 1, ...said }))
    return {
      version: { manifest, repository: undefined, ...elsewhere, ...proof, integrity: undefined, size: 0 },
      readme: '',
      base64: '',
    }
  }
  const bytes = bytesOf(base64)
  const { manifest, readme } = await inspect(bytes).catch((error) => refused('package', error))
  mustAgree(said, manifest)
  const version = { manifest, repository: undefined, ...elsewhere, ...proof, integrity: integrityOf(bytes), size: bytes.length }
  return { version, readme, base64 }
}

/** Throws InvalidInput where fields that were sent say something else than the manifest in the package. */
function mustAgree(said: Readonly<Record<string, unknown>>, manifest: Manifest): void {
  const errors: FieldErrors = {}
  for (const [key, value] of Object.entries(said)) {
    if (!isDeepStrictEqual(value, manifest[key as keyof Manifest]))
      errors[key] = [`The ${key} is not what module.yaml in the package says.`]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
}

function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MOST_PACKED) throw new InvalidInput({ package: ['The package is over 20 MiB.'] })
  if (base64 !== bytes.toString('base64')) throw new InvalidInput({ package: ['The package must be in base64.'] })
  return bytes
}

/** As registries of code have them: no user information, and nothing but https. */
function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

function inField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return refused(field, error)
  }
}

function refused(field: string, error: unknown): never {
  if (error instanceof PackageFault) throw new InvalidInput({ [field]: [error.message] })
  throw error
}
