// The page /overlay: what a stream shows.
export {};
