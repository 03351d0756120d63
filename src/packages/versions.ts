import { compare, prerelease, satisfies, valid, validRange } from 'semver'

/** Longest version. */
const LONGEST = 64

/** Returns whether a text is a version by SemVer 2.0.0, written as that has it: without a `v`, spaces and build metadata. */
export function isVersion(text: string): boolean {
  return text.length <= LONGEST && valid(text) === text
}

/** Returns whether a text is a range of versions, as npm reads them. */
export function isRange(text: string): boolean {
  return text.length <= LONGEST && text.trim() !== '' && validRange(text) !== null
}

/** The order of two versions by precedence. */
export function compareVersions(one: string, other: string): number {
  return compare(one, other)
}

/** Returns whether a version is in a range. One that is a prerelease counts as what it leads to. */
export function isWithin(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true })
}

/** Returns the newest of versions by precedence: a release where there is one, else a prerelease. */
export function newestOf(versions: readonly string[]): string | undefined {
  const sorted = [...versions].sort(compareVersions)
  return sorted.findLast((version) => prerelease(version) === null) ?? sorted.at(-1)
}
