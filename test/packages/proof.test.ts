import t from 'tap'
import { integrityOf, isPublicKey, makeKeys, mustBeProven, publicKeyOf, signClaim, signerOf } from '#packages/proof.ts'

const bytes = Buffer.from('a package')
const { privateKey, publicKey } = makeKeys()
const other = makeKeys()
const claim = { name: 'contacts', version: '1.0.0', integrity: integrityOf(bytes) }
const signature = signClaim(claim, privateKey)

t.test('a signed package is what it says, by a key that is trusted', async (t) => {
  t.ok(isPublicKey(publicKey))
  t.equal(publicKeyOf(privateKey), publicKey)
  t.equal(mustBeProven(bytes, { ...claim, signature }, [other.publicKey, publicKey]), publicKey)
  t.equal(mustBeProven(bytes, claim, []), undefined, 'where no key is trusted, nothing is said of it')
  t.equal(signerOf({ ...claim, signature }, [publicKey]), publicKey)
})

t.test('one changed byte, another name or version, another key: refused', async (t) => {
  const refused = (change: object, keys: readonly string[], says: RegExp, content = bytes) =>
    t.throws(() => mustBeProven(content, { ...claim, signature, ...change }, keys), { message: says })
  refused({}, [publicKey], /sha512/, Buffer.from('b package'))
  refused({}, [], /sha512/, Buffer.from('b package'))
  refused({ name: 'contacts-2' }, [publicKey], /not signed by/)
  refused({ version: '1.0.1' }, [publicKey], /not signed by/)
  refused({}, [other.publicKey], /not signed by/)
  refused({ signature: undefined }, [publicKey], /is not signed/)
  refused({ signature: 'AAAA' }, [publicKey], /not signed by/)
  refused({ signature: Buffer.alloc(64).toString('base64') }, [publicKey], /not signed by/)
  refused({}, ['ed25519:nonsense'], /not signed by/)
  refused({}, [publicKey], /20 MiB/, Buffer.alloc(20 * 1024 * 1024 + 1))
  t.throws(() => signClaim(claim, 'no key'), { message: /no private key/ })
})
