export declare function threadClock(): () => number
