import { createCipheriv } from 'node:crypto'
import { stringify } from 'yaml'
import { integrityOf, signClaim } from '#packages/proof.ts'
import { packageOf, type RawEntry } from '../../packages/archives.ts'

/** The package of a module with these words in its manifest. */
export function moduleOf(manifest: Readonly<Record<string, unknown>> = {}, files: readonly RawEntry[] = []): Buffer {
  const whole = { api: 1, name: 'contacts', version: '1.0.0', description: 'A form.', permissions: ['store'], ...manifest }
  return packageOf([
    { name: 'module.yaml', bytes: stringify(whole) },
    { name: 'index.js', bytes: 'export default { api: 1 }\n' },
    ...files,
  ])
}

/** The body of a request that publishes a package; signed where there is a key. */
export function publicationOf(tgz: Buffer, name = 'contacts', version = '1.0.0', key?: string): Record<string, unknown> {
  const integrity = integrityOf(tgz)
  const proof = key === undefined ? {} : { signature: signClaim({ name, version, integrity }, key) }
  return { name, version, package: tgz.toString('base64'), ...proof }
}

/** Bytes that hardly get smaller, whatever compresses them; the same each time. */
export function noise(size: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size))
}
