/*
 * The strict promise as a model in Promela. README.md says what it proves, and how its parts map to the code. check.ts
 * checks it with Spin, in each configuration and with each mutant.
 *
 * The model has one key with two secrets: A, and B after a rotation. One key is enough, because rows of different keys
 * do not depend on each other. A change of any other key only advances the revision.
 *
 * Each `atomic` or `d_step` is one step of one process. Between two steps, all others may take any number of steps, so
 * each process can be slow, or stopped (SIGSTOP), for any time.
 *
 * Code in `#ifdef` with the name of a mutant breaks the model. Without it, the model is as the code.
 */

#ifndef CHANGES
#define CHANGES 3	/* The number of changes that are committed */
#endif
#ifndef LEASE
#define LEASE 1		/* The length of a lease, in ticks of the clock; 0 for none */
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef EDGES
#define EDGES 0		/* With an edge, the verification processes are its upstreams */
#endif
#ifndef FAILOVERS
#define FAILOVERS 0	/* The number of restarts of the store, or failovers to its standby */
#endif
#ifndef CRASHES
#define CRASHES 1	/* Whether verification processes and edges crash */
#endif
#ifndef ROTATIONS
#define ROTATIONS 1	/* Whether the key is rotated, to B */
#endif
#ifndef IMPORTS
#define IMPORTS 0	/* Whether A is a secret in a foreign format, which two teams import */
#endif

#ifndef FENCES
#define FENCES 0	/* Whether a fence freezes and unfreezes the key. Not with IMPORTS, whose bits it uses */
#endif

#define NODES (PROCESSES + EDGES)	/* Everything that decides: verification processes, then the edge */
#define EDGE PROCESSES
#define NONE 255

/* The state of the key, as bits. DISABLED also stands for a list of sources without the caller's. */
#define EXISTS 1
#define REVOKED 2
#define DISABLED 4
#define ROTATED 8	/* B is the current secret, and A the previous one */
#define ENDED 16	/* The overlap has ended, so that only B is accepted */
#define IMPORTED 32
#define CONFLICT 64	/* Another team has imported A too, so that it is nobody's */
#define ROW 128		/* Set in each row, so that no row is 0 */

#define A 0
#define B 1
#if FENCES
#define FROZEN 32	/* No part of a row in a process: it knows the fence itself. A row of an edge has it. */
#else
#define FROZEN 0
#endif
#define isUsable(state) (((state) & (EXISTS | REVOKED | DISABLED | FROZEN)) == EXISTS)
#define accepts(state, secret) (isUsable(state) && ((secret) == A -> ((state) & (ENDED | CONFLICT)) == 0 : ((state) & ROTATED) != 0))
/* Whether the store has a row for the secret. */
#define has(state, secret) (((state) & EXISTS) != 0 && ((secret) == A || ((state) & ROTATED) != 0))

/* ---- The store: src/store ---- */

/* What a revision changed: another key, this key, or only which keys match A. */
#define OTHER 0
#define KEY 1
#define DIGEST 2
#define FENCE 3

byte revision = 0;
byte replicated = 0;		/* What the standby has; without failovers always the revision */
byte epoch = 0;
byte states[CHANGES + 1];	/* The state of the key after each revision */
byte touched[CHANGES + 1];
byte failovers = FAILOVERS;

/* ---- The writers: src/store/changes/change-queue.ts ---- */

byte commits[WRITERS];		/* The revision of the change that is not answered yet; 0 for none */
bool isReplicated[WRITERS];	/* Whether the commit was confirmed, so that the lease is waited for */
byte waitLeft[WRITERS];	/* Ticks of the clock until the answer */

#if FAILOVERS
/*
 * A commit whose wait for the standby was cancelled is visible, and can be lost. Verdicts may rest on it for one lease
 * after the failover. The lost states that accept A, reject A, accept B and reject B, as bits.
 */
byte lost = 0;
byte lostLeft = 0;
#define lostBit(state, secret) (1 << (2 * (secret) + (accepts(state, secret) -> 0 : 1)))
#endif

/* The last revision whose change was answered: what callers know. No process reads it; only the properties do. */
byte answered = 0;

/* ---- Verification processes and edges ---- */

/* States of a request */
#define FREE 0		/* There is none */
#define ARRIVED 1	/* Waits for a round */
#define CONFIRMING 2	/* The round under way serves it */
#define ANSWERED 3	/* Decided, and the answer is under way to the edge */

/* States of a round */
#define IDLE 0
#define STARTED 1	/* The source has not read yet */
#define READ 2		/* The answer of the source is under way */

typedef Node {
	/* The cache: the rows by secret (0: not cached), and the state that it is current up to */
	byte row[2];
	byte cursor;	/* The revision; NONE before the first round */
	byte cursorEpoch;
	bool imports;	/* Whether any key was imported */
#if FENCES
	byte fence;	/* FROZEN while the fence is up */
	byte toFence;
	bool fenceChanges;	/* Whether the fence has changed since the cursor */
#endif
	byte leaseLeft;	/* Ticks until the end of the lease */

	/* The round under way */
	byte round;
	byte age;	/* Ticks since its start, at most LEASE */
	bool missing[2];	/* The secrets whose rows it reads */

	/* The answer of the source: a state, and what changed since the cursor */
	byte toRevision;
	byte toEpoch;
	bool toImports;
	bool clear;	/* Whether the changes are not known, so that all rows are dropped */
	byte keyChanges;	/* The revisions since the cursor that changed the key, as a bit mask */
	byte digestChanges;
	byte current;		/* The state of the key */
	byte found[2];		/* The missing rows; 0 for an unknown secret */

	/* The request of a caller. One at a time: requests affect each other only through the cache and the rounds. */
	byte request;
	bit secret;
	bool isKeyless;		/* First waits for a state that shows whether a foreign text can be a key */
	bool mayAccept;		/* Whether some state since its arrival accepts it */
	bool mayReject;		/* Whether some state since its arrival rejects it */
	byte rounds;		/* Rounds that have started since its arrival */

	bool sawRevoked;	/* Whether an earlier request was decided on the revoked key */
};

Node node[NODES];

#ifdef OLD_ROW
byte lookup[NODES];	/* A row that was read outside of the rounds */
#endif
#ifdef TWO_CLOCKS
byte skewLeft = 0;	/* How long the clock of a process shows a time before the end of the overlap */
#endif
#ifdef WAIT_FROM_START
bool hasBegun[WRITERS];
#endif
#ifdef UNCOMPARED
byte known[WRITERS];	/* The state that a writer has read before its statement */
#endif
#ifdef EARLY_REVISION
byte taken[WRITERS];	/* A revision that was taken before its transaction */
#endif
#ifdef NOT_FENCED
byte oldRevision = 0;	/* What processes still read from the old primary */
#endif
#ifdef ASYNCHRONOUS
byte lostAnswer = 0;	/* The last answered state, if the failover lost it */
#endif

#if EDGES
/* The recent changes that a process remembers for edges: those after the revision `from`, up to its cursor. */
typedef Log {
	byte from;
	byte keyChanges;
	byte digestChanges;
};
/* The request of the edge at a process: for the state, and for at most one row. */
typedef Feed {
	byte request;
	byte rowRequest;
	bit secret;
	bool isKeyless;
	/* The answer */
	byte toRevision;
	byte toEpoch;
	bool toImports;
	bool clear;
	byte keyChanges;
	byte digestChanges;
	byte found;
};
Log log[PROCESSES];
Feed feed[PROCESSES];
bit upstream = 0;	/* The process that the edge sends its next request to */
bool hasTried = false;	/* Whether the round under way has already tried the other upstream */
#endif

/* Variables that no step uses before it sets them. A breadth-first search, for the shortest trace, can't hide them. */
#ifdef SHORTEST
#define hidden
#endif
hidden byte i;
hidden byte verdict;
hidden byte after;
hidden byte isValid;
hidden byte isRight;

/* ---- Changes ---- */

/* Records whether a state that is current during a request accepts its secret. */
inline observe(i_, state) {
	if
	:: node[i_].request != FREE && accepts(state, node[i_].secret) -> node[i_].mayAccept = true
	:: node[i_].request != FREE && !accepts(state, node[i_].secret) -> node[i_].mayReject = true
	:: else
	fi
}

/* The transaction has returned to the writer. Now it waits for the leases. */
inline confirmCommit(w) {
	isReplicated[w] = true;
#if !defined(NO_WAIT) && !defined(WAIT_FROM_START)
#ifdef FENCE_NO_WAIT
	waitLeft[w] = (touched[commits[w]] == FENCE -> 0 : LEASE)
#else
	waitLeft[w] = LEASE
#endif
#endif
}

/* Commits a transaction. Revisions are committed in order, because each transaction locks the row of the revision. */
inline commit(w, next, what) {
	after = next;
	revision++;
	states[revision] = after;
	touched[revision] = what;
	commits[w] = revision;
	printf("as revision %d\n", revision);
#ifdef TWO_CLOCKS
	if
	:: (after & ENDED) && !(states[revision - 1] & ENDED) -> skewLeft = LEASE + 1
	:: else
	fi;
#endif
	i = 0;
	do
	:: i < NODES -> observe(i, after); i++
	:: else -> break
	od;
#if !FAILOVERS || defined(ASYNCHRONOUS)
	confirmCommit(w);
#endif
#if !FAILOVERS
	replicated = revision
#endif
}

inline forget(w) {
	commits[w] = 0;
	isReplicated[w] = false;
	waitLeft[w] = 0
}

#define state states[revision]
#define isChangeable ((state & (EXISTS | REVOKED)) == EXISTS)

/*
 * Commits a change, waits until the standby has it and all leases from before the commit have ended, and answers. What
 * answers without a change (a second revocation) is a commit that changes another key: it advances the revision too.
 */
proctype Writer(byte w) {
end:	do
#ifdef EARLY_REVISION
	:: d_step {
		commits[w] == 0 && taken[w] == 0 && revision < CHANGES ->
		revision++;
		states[revision] = states[revision - 1];
		replicated = revision;
		taken[w] = revision;
		printf("writer %d takes revision %d before its transaction\n", w, revision)
	}
	:: d_step {
		taken[w] != 0 ->
		printf("writer %d commits the revocation as revision %d\n", w, taken[w]);
		touched[taken[w]] = KEY;
		i = taken[w];
		do
		:: i <= revision -> states[i] = states[i] | REVOKED; i++
		:: else -> break
		od;
		commits[w] = taken[w];
		taken[w] = 0;
		i = 0;
		do
		:: i < NODES -> observe(i, state); i++
		:: else -> break
		od;
		confirmCommit(w)
	}
#else
	:: atomic {
		commits[w] == 0 && revision < CHANGES ->
#ifdef WAIT_FROM_START
		hasBegun[w];
		hasBegun[w] = false;
#endif
		if
		:: printf("writer %d commits a change of another key ", w); commit(w, state, OTHER)
		:: isChangeable -> printf("writer %d commits the revocation ", w); commit(w, state | REVOKED, KEY)
		:: isChangeable && (state & DISABLED) -> printf("writer %d commits that the key is enabled ", w); commit(w, state ^ DISABLED, KEY)
		:: isChangeable && !(state & DISABLED) -> printf("writer %d commits that the key is disabled ", w); commit(w, state ^ DISABLED, KEY)
#if ROTATIONS
		:: isChangeable && !(state & ROTATED) -> printf("writer %d commits the rotation from A to B ", w); commit(w, state | ROTATED, KEY)
		:: isChangeable && (state & ROTATED) && !(state & ENDED) -> printf("writer %d commits the end of the overlap ", w); commit(w, state | ENDED, KEY)
#endif
#if FENCES
		:: (state & EXISTS) -> printf("writer %d commits that a fence is put up or lifted ", w); commit(w, state ^ FROZEN, FENCE)
#endif
#if IMPORTS
		:: !(state & EXISTS) -> printf("writer %d commits the import of A ", w); commit(w, EXISTS | IMPORTED, KEY)
		:: (state & IMPORTED) && !(state & CONFLICT) -> printf("writer %d commits the import of A by another team ", w); commit(w, state | CONFLICT, DIGEST)
#endif
		fi
	}
#ifdef UNCOMPARED
	:: d_step { known[w] == 0 && isChangeable && (state & ROTATED) -> known[w] = state | ROW }
	:: atomic {
		commits[w] == 0 && known[w] != 0 && revision < CHANGES ->
		printf("writer %d commits the end of the overlap on the state that it has read ", w);
		commit(w, (known[w] & ~ROW) | ENDED, KEY);
		known[w] = 0
	}
#endif
#ifdef WAIT_FROM_START
	:: d_step { commits[w] == 0 && !hasBegun[w] -> hasBegun[w] = true; waitLeft[w] = LEASE }
#endif
#endif
#if FAILOVERS
	:: atomic { commits[w] != 0 && !isReplicated[w] && replicated >= commits[w] -> confirmCommit(w) }
#endif
	:: d_step {
		commits[w] != 0 && isReplicated[w] && waitLeft[w] == 0 ->
		printf("writer %d answers revision %d\n", w, commits[w]);
		/* No request that arrives from now on may rest on an older state, so older states are forgotten. */
		do
		:: answered < commits[w] ->
#ifndef ASYNCHRONOUS
			states[answered] = 0;
#endif
			answered++
		:: else -> break
		od;
		forget(w)
	}
	/* Crashes before the answer. */
	:: d_step { commits[w] != 0 -> printf("writer %d crashes\n", w); forget(w) }
	od
}

/* ---- Time, and the standby ---- */

/* Advances the clocks of all machines: they run at the same speed, but need not show the same time. */
proctype Clock() {
end:	do
	:: d_step {
		printf("the clock ticks\n");
		i = 0;
		do
		:: i < NODES ->
			if
#ifdef CLOCK_STANDS
			:: i == 0
#endif
			:: node[i].leaseLeft > 0 -> node[i].leaseLeft--
			:: else
			fi;
			if
			:: node[i].round != IDLE && node[i].age < LEASE -> node[i].age++
			:: else
			fi;
			i++
		:: else -> break
		od;
#if FAILOVERS
		if
		:: lostLeft > 1 -> lostLeft--
		:: lostLeft == 1 -> lostLeft = 0; lost = 0
		:: else
		fi;
#endif
#ifdef TWO_CLOCKS
		if
		:: skewLeft > 0 -> skewLeft--
		:: else
		fi;
#endif
		i = 0;
		do
		:: i < WRITERS ->
			if
			:: waitLeft[i] > 0 -> waitLeft[i]--
			:: else
			fi;
			i++
		:: else -> break
		od
	}
	od
}

#if FAILOVERS
/*
 * Replicates commits, and is promoted at any time. If it has every commit by then, the failover is the same as a restart
 * of the primary.
 */
proctype Standby() {
end:	do
	:: replicated < revision -> replicated++
	/* Commits that the standby lacks are gone, and their writers get errors. The old primary no longer answers. */
	:: d_step {
		failovers > 0 ->
		failovers--;
		printf("failover: revisions after %d are lost\n", replicated);
		epoch++;
#ifdef NOT_FENCED
		oldRevision = revision;
#endif
#ifdef ASYNCHRONOUS
		lostAnswer = states[answered];
#endif
		i = 0;
		do
		:: i < WRITERS ->
			if
			:: commits[i] > replicated -> forget(i)
			:: else
			fi;
			i++
		:: else -> break
		od;
		do
		:: revision > replicated ->
			lost = lost | lostBit(state, A) | lostBit(state, B);
			lostLeft = LEASE;
			states[revision] = 0;
			touched[revision] = OTHER;
			revision--
		:: else -> break
		od;
		i = 0;
		do
		:: i < NODES && !(state & REVOKED) -> node[i].sawRevoked = false; i++
		:: else -> break
		od
	}
	od
}
#endif

/* ---- Requests of callers ---- */

#define isForeign(secret) (IMPORTS && (secret) == A)

/* A request may rest on the last answered state, and on all later ones. */
inline arrive(n, secret_) {
	d_step {
		node[n].request == FREE && (secret_ == A || (state & ROTATED)) ->
		node[n].secret = secret_;
		printf("node %d: a request for %c arrives\n", n, 65 + secret_);
		node[n].request = ARRIVED;
		node[n].isKeyless = isForeign(secret_) && !node[n].imports;
		i = answered;
		do
		:: i <= revision -> observe(n, states[i]); i++
		:: else -> break
		od;
#ifdef ASYNCHRONOUS
		if
		:: answered > revision -> observe(n, lostAnswer)
		:: else
		fi;
#endif
#if FAILOVERS
		if
		:: lostLeft > 0 && (lost & (1 << 2 * secret_)) -> node[n].mayAccept = true
		:: else
		fi;
		if
		:: lostLeft > 0 && (lost & (2 << 2 * secret_)) -> node[n].mayReject = true
		:: else
		fi
#endif
	}
}

inline endRequest(n) {
	node[n].request = FREE;
	node[n].secret = A;
	node[n].isKeyless = false;
	node[n].mayAccept = false;
	node[n].mayReject = false;
	node[n].rounds = 0
}

/* Decides the request on a row, or rejects it if the row is 0. */
inline decide(n, found_) {
	verdict = found_;
#if FENCES && !defined(FENCE_ONCE)
	/* A process compares each cached row with the fences of its state. */
	if
	:: n < PROCESSES && verdict != 0 -> verdict = (verdict & ~FROZEN) | node[n].fence
	:: else
	fi;
#endif
#ifdef TWO_CLOCKS
	if
	:: skewLeft > 0 -> verdict = verdict & ~ENDED
	:: else
	fi;
#endif
	isValid = accepts(verdict, node[n].secret);
	isRight = (isValid -> node[n].mayAccept : node[n].mayReject);
	if
	:: isValid -> printf("node %d decides: VALID\n", n)
	:: else -> printf("node %d decides: not VALID\n", n)
	fi;
	if
	:: !isRight && isValid -> printf("wrong: no state since the arrival accepts the secret\n")
	:: !isRight && !isValid -> printf("wrong: every state since the arrival accepts the secret\n")
	:: isRight && isValid && node[n].sawRevoked -> printf("wrong: an earlier verdict rested on the revocation\n")
	:: else
	fi;
	/*
	 * The promise: the verdict is right in some state that is at least as new as the arrival. With ONLY_VALID, the trace
	 * of a mutant shows a wrong VALID, not a wrong rejection.
	 */
#ifdef ONLY_VALID
	assert(isRight || !isValid);
#else
	assert(isRight);
#endif
	/* What was revoked does not come back. */
	assert(!(isValid && node[n].sawRevoked));
	if
	:: (verdict & state & REVOKED) -> node[n].sawRevoked = true
	:: else
	fi;
	endRequest(n)
}

/* ---- Confirmation rounds: src/engine/confirmation-rounds.ts ---- */

/* Lets the round read the row of a request, if it is not cached. */
inline look(n, secret_, isKeyless_) {
	if
#ifdef LOOK_ONCE
	:: !isKeyless_ && node[n].row[secret_] == 0 && node[n].rounds == 1 -> node[n].missing[secret_] = true
#else
	:: !isKeyless_ && node[n].row[secret_] == 0 -> node[n].missing[secret_] = true
#endif
	:: else
	fi
}

#if EDGES
/* The round serves the requests of the edge that have arrived. */
inline startFeed(n) {
#ifdef ROWS_FIRST
	if
	:: feed[n].request == ARRIVED && feed[n].rowRequest != ARRIVED -> feed[n].request = CONFIRMING
	:: else
	fi;
#else
	if
	:: feed[n].request == ARRIVED -> feed[n].request = CONFIRMING
	:: else
	fi;
#endif
	if
	:: feed[n].rowRequest == ARRIVED ->
		feed[n].rowRequest = CONFIRMING;
		feed[n].isKeyless = isForeign(feed[n].secret) && !node[n].imports;
		look(n, feed[n].secret, feed[n].isKeyless)
	:: else
	fi
}

/* Forgets the request of the edge, and its answer. */
inline endFeed(u) {
	feed[u].request = FREE;
	feed[u].rowRequest = FREE;
	feed[u].secret = A;
	feed[u].isKeyless = false;
	feed[u].toRevision = 0;
	feed[u].toEpoch = 0;
	feed[u].toImports = false;
	feed[u].clear = false;
	feed[u].keyChanges = 0;
	feed[u].digestChanges = 0;
	feed[u].found = 0
}
#endif

/* A round serves all requests that have arrived. */
inline startRound(n) {
	if
	:: node[n].cursor == NONE -> printf("node %d: a round starts without a cache\n", n)
	:: else -> printf("node %d: a round starts from revision %d\n", n, node[n].cursor)
	fi;
	node[n].round = STARTED;
	node[n].age = 0;
	if
	:: node[n].request == ARRIVED ->
		node[n].request = CONFIRMING;
		node[n].rounds++;
		/* Each request is decided or fails in bounded steps. */
		if
		:: node[n].rounds > 2 + IMPORTS -> printf("wrong: a request waits for more rounds than it may\n")
		:: else
		fi;
		assert(node[n].rounds <= 2 + IMPORTS);
		look(n, node[n].secret, node[n].isKeyless)
	:: else
	fi
#if EDGES
	;
	if
	:: n < PROCESSES -> startFeed(n)
	:: else
	fi
#endif
}

/* Applies the answer to the cache before any request is decided. */
inline applySnapshot(n) {
	if
	:: node[n].clear -> node[n].row[A] = 0; node[n].row[B] = 0
	:: else
	fi;
	node[n].imports = node[n].toImports
#if FENCES
	;
	node[n].fence = node[n].toFence
#endif
}

/* Serves the requests of the round, then caches the rows. */
inline serve(n) {
	if
#ifdef LATE_ARRIVAL
	:: node[n].request == ARRIVED && node[n].row[node[n].secret] != 0 -> decide(n, node[n].row[node[n].secret])
#endif
	:: node[n].request == CONFIRMING ->
		if
		:: node[n].isKeyless && node[n].imports -> node[n].isKeyless = false; node[n].request = ARRIVED
		:: node[n].isKeyless && !node[n].imports -> decide(n, 0)
		:: !node[n].isKeyless && node[n].missing[node[n].secret] -> decide(n, node[n].found[node[n].secret])
		:: !node[n].isKeyless && !node[n].missing[node[n].secret] ->
			if
			:: node[n].row[node[n].secret] != 0 -> decide(n, node[n].row[node[n].secret])
			/* The row was removed. The next round requests it. */
#ifdef FORGOTTEN
			:: else
#else
			:: else -> node[n].request = ARRIVED
#endif
			fi
		fi
	:: else
	fi
}

inline resetRound(n) {
	node[n].round = IDLE;
	node[n].age = 0;
	node[n].missing[A] = false;
	node[n].missing[B] = false;
	node[n].toRevision = 0;
	node[n].toEpoch = 0;
	node[n].toImports = false;
	node[n].clear = false;
	node[n].keyChanges = 0;
	node[n].digestChanges = 0;
	node[n].current = 0;
#if FENCES
	node[n].toFence = 0;
	node[n].fenceChanges = false;
#endif
	node[n].found[A] = 0;
	node[n].found[B] = 0
}

/* Adds the rows that were read, and moves the cursor. The lease counts from the start of the round. */
inline endRound(n) {
	if
	:: node[n].found[A] != 0 -> node[n].row[A] = node[n].found[A]
	:: else
	fi;
	if
	:: node[n].found[B] != 0 -> node[n].row[B] = node[n].found[B]
	:: else
	fi;
	printf("node %d: the round ends with revision %d, and a lease of %d\n", n, node[n].toRevision, LEASE - node[n].age);
	node[n].cursor = node[n].toRevision;
	node[n].cursorEpoch = node[n].toEpoch;
#if defined(LEASE_FROM_ANSWER)
	node[n].leaseLeft = LEASE;
#elif defined(LEASE_FROM_LAST)
	node[n].leaseLeft = (node[n].leaseLeft > 0 -> node[n].leaseLeft + LEASE : LEASE - node[n].age);
#else
	node[n].leaseLeft = LEASE - node[n].age;
#endif
	resetRound(n)
}

/* The requests fail, and the next round starts from the same cursor. */
inline failRound(n) {
	printf("node %d: the round fails\n", n);
#if EDGES
	if
	:: n < PROCESSES && (feed[n].request == CONFIRMING || feed[n].rowRequest == CONFIRMING) -> endFeed(n)
	:: else
	fi;
#endif
#ifdef FAILED_CURSOR
	if
	:: node[n].round == READ -> node[n].cursor = node[n].toRevision; node[n].cursorEpoch = node[n].toEpoch
	:: else
	fi;
#endif
#ifdef FAILED_RENEWAL
	if
	:: node[n].leaseLeft > 0 -> node[n].leaseLeft = LEASE
	:: else
	fi;
#endif
	if
	:: node[n].request == CONFIRMING -> endRequest(n)
	:: else
	fi;
	resetRound(n)
}

/* A crash at any other time is a failed round, or a slow process whose edge gives up, before this crash. */
#define isQuiet(n) (node[n].round == IDLE && node[n].request == FREE)

inline crash(n) {
	printf("node %d crashes\n", n);
	endRequest(n);
	resetRound(n);
	node[n].row[A] = 0;
	node[n].row[B] = 0;
	node[n].cursor = NONE;
	node[n].cursorEpoch = 0;
	node[n].imports = false;
#if FENCES
	node[n].fence = 0;
#endif
	node[n].leaseLeft = 0;
	node[n].sawRevoked = false
}

/* Whether the lease of the last round serves the request. */
#define isLeasable(n) (node[n].request == ARRIVED && node[n].leaseLeft > 0 && \
	(node[n].isKeyless || node[n].row[node[n].secret] != 0))

inline decideLeased(n) {
	if
	:: node[n].isKeyless && node[n].imports -> node[n].isKeyless = false
	:: node[n].isKeyless && !node[n].imports -> decide(n, 0)
	:: else -> decide(n, node[n].row[node[n].secret])
	fi
}

/* ---- Verification processes: src/verify/store-source.ts over src/store/feed ---- */

/* One consistent snapshot. */
inline readStore(n) {
#ifdef NO_EPOCH
	node[n].clear = node[n].cursor == NONE || node[n].cursor > revision;
#else
	node[n].clear = node[n].cursor == NONE || node[n].cursorEpoch != epoch || node[n].cursor > revision;
#endif
	node[n].toRevision = revision;
	node[n].toEpoch = epoch;
	node[n].toImports = IMPORTS && (state & IMPORTED) != 0;
#if FENCES
	node[n].toFence = state & FROZEN;
#endif
	if
	:: node[n].clear
	:: else ->
		i = node[n].cursor + 1;
		do
		:: i <= revision ->
			if
			:: touched[i] == KEY -> node[n].keyChanges = node[n].keyChanges | (1 << i)
			:: touched[i] == DIGEST -> node[n].digestChanges = node[n].digestChanges | (1 << i)
#if FENCES
			:: touched[i] == FENCE -> node[n].fenceChanges = true
#endif
			:: else
			fi;
			i++
		:: else -> break
		od;
		if
		:: node[n].keyChanges != 0 -> node[n].current = state | ROW
		:: else
		fi
	fi;
	if
	:: node[n].missing[A] && has(state, A) -> node[n].found[A] = state | ROW
	:: else
	fi;
	if
	:: node[n].missing[B] && has(state, B) -> node[n].found[B] = state | ROW
	:: else
	fi;
#ifdef NOT_FENCED
	if
	:: epoch > 0 && node[n].cursor == oldRevision && node[n].cursorEpoch == 0 && !node[n].missing[A] && !node[n].missing[B] ->
		node[n].clear = false;
		node[n].toRevision = oldRevision;
		node[n].toEpoch = 0;
		node[n].keyChanges = 0;
		node[n].digestChanges = 0;
		node[n].current = 0
	:: else
	fi;
#endif
	printf("node %d: reads revision %d of epoch %d\n", n, node[n].toRevision, node[n].toEpoch);
	node[n].round = READ
}

/* Removes rows that depend on the digest of A. */
inline applyDigestChanges(n) {
	if
#ifndef ID_ONLY
	:: node[n].digestChanges != 0 -> node[n].row[A] = 0
#endif
	:: else
	fi
}

/* Replaces the row of the current secret. Removes rows of other and of imported secrets. */
inline applyChanges(n) {
	if
	:: node[n].keyChanges != 0 && node[n].row[A] != 0 ->
		if
#ifdef ANY_SECRET
		/* The row now is the one of B, which no end of the overlap affects. */
		:: !(node[n].row[A] & ROTATED) && (node[n].current & ROTATED) -> node[n].row[A] = node[n].current & ~ENDED
#endif
		:: (node[n].row[A] & (ROTATED | (IMPORTS * IMPORTED))) || (node[n].current & ROTATED) -> node[n].row[A] = 0
		:: else -> node[n].row[A] = node[n].current
		fi
	:: else
	fi;
	if
	:: node[n].keyChanges != 0 && node[n].row[B] != 0 -> node[n].row[B] = node[n].current
	:: else
	fi;
	applyDigestChanges(n)
}

#if EDGES
/* ---- The feed: src/verify/recent-changes.ts and src/verify/edge-feed.ts ---- */

/* Adds the changes of a round to the log, or restarts the log at a state whose earlier changes are not known. */
inline remember(n) {
	if
#ifdef LOG_FROM_START
	:: node[n].clear
#else
#if FENCES && !defined(FENCE_NO_CLEAR)
	:: node[n].clear || node[n].fenceChanges ->
#else
	:: node[n].clear ->
#endif
		log[n].from = node[n].toRevision;
		log[n].keyChanges = 0;
		log[n].digestChanges = 0
#endif
	:: else ->
		log[n].keyChanges = log[n].keyChanges | node[n].keyChanges;
		log[n].digestChanges = log[n].digestChanges | node[n].digestChanges
	fi
}

#ifdef NO_EPOCH_IN_CURSOR
#define isOther(epoch_) false
#else
#define isOther(epoch_) (node[EDGE].cursorEpoch != (epoch_))
#endif

/* Answers with the state of this round, and the changes since the cursor of the edge. */
inline answerState(n, revision_, epoch_) {
	feed[n].request = ANSWERED;
	feed[n].toRevision = revision_;
	feed[n].toEpoch = epoch_;
	feed[n].toImports = node[n].imports;
	feed[n].clear = node[EDGE].cursor == NONE || isOther(epoch_) || node[EDGE].cursor < log[n].from || node[EDGE].cursor > revision_;
	if
	:: feed[n].clear
	:: else ->
		/* Without the revisions up to the cursor. */
		feed[n].keyChanges = (log[n].keyChanges >> (node[EDGE].cursor + 1)) << (node[EDGE].cursor + 1);
		feed[n].digestChanges = (log[n].digestChanges >> (node[EDGE].cursor + 1)) << (node[EDGE].cursor + 1)
	fi
}

/* A row for an edge says whether it is frozen. */
#if FENCES
#define marked(n, row_) ((row_) == 0 -> 0 : ((row_) & ~FROZEN) | node[n].fence)
#else
#define marked(n, row_) (row_)
#endif

/* Answers the requests that this round serves. A row can wait for a later round than the state, so it can be newer. */
inline serveFeed(n) {
	if
	:: feed[n].request == CONFIRMING -> answerState(n, node[n].toRevision, node[n].toEpoch)
	:: else
	fi;
	if
	:: feed[n].rowRequest == CONFIRMING ->
		if
		:: feed[n].isKeyless && node[n].imports -> feed[n].isKeyless = false; feed[n].rowRequest = ARRIVED
		:: feed[n].isKeyless && !node[n].imports -> feed[n].rowRequest = ANSWERED
		:: !feed[n].isKeyless && node[n].missing[feed[n].secret] ->
			feed[n].found = marked(n, node[n].found[feed[n].secret]);
			feed[n].rowRequest = ANSWERED
		:: !feed[n].isKeyless && !node[n].missing[feed[n].secret] ->
			if
			:: node[n].row[feed[n].secret] != 0 ->
				feed[n].found = marked(n, node[n].row[feed[n].secret]);
				feed[n].rowRequest = ANSWERED
			:: else -> feed[n].rowRequest = ARRIVED
			fi
		fi
	:: else
	fi
}
#endif

/* With an edge, rounds that other requests start are rounds for which the edge did not wait. */
#if EDGES
#define mayStart(n) (feed[n].request == ARRIVED || feed[n].rowRequest == ARRIVED)
#else
#define mayStart(n) true
#endif

/* A verification process: takes requests, and runs one round after the other, each of which may fail. */
proctype Process(byte n) {
end:	do
#if !EDGES
	:: arrive(n, A)
	:: arrive(n, B)
	/* A turn of the event loop takes the requests that the lease serves, and decides them later. */
	:: isLeasable(n) -> d_step { decideLeased(n) }
#endif
#ifdef FEED_LEASE
	:: d_step {
		feed[n].request == ARRIVED && feed[n].rowRequest == FREE && node[n].leaseLeft > 0 ->
		answerState(n, node[n].cursor, node[n].cursorEpoch)
	}
#endif
	:: d_step { node[n].round == IDLE && mayStart(n) -> startRound(n) }
	:: d_step { node[n].round == STARTED -> readStore(n) }
#ifdef DECIDE_FIRST
	:: d_step { node[n].round == READ -> serve(n); applySnapshot(n); applyChanges(n); endRound(n) }
#else
	:: d_step { node[n].round == READ -> applySnapshot(n); applyChanges(n); serve(n);
#if EDGES
		remember(n); serveFeed(n);
#endif
		endRound(n) }
#endif
#ifdef TWO_STATEMENTS
	:: d_step { node[n].round == READ -> node[n].toRevision = revision }
#endif
#ifdef OLD_ROW
	:: d_step {
		lookup[n] == 0 && node[n].row[A] == 0 && has(state, A) ->
		printf("node %d: reads A outside of the rounds, at revision %d\n", n, revision);
		lookup[n] = state | ROW
	}
	:: d_step {
		lookup[n] != 0 ->
		printf("node %d: caches the row that it has read outside of the rounds\n", n);
		node[n].row[A] = lookup[n];
		lookup[n] = 0
	}
#endif
#ifdef NO_CONFIRMED_IMPORTS
	:: d_step { node[n].request == ARRIVED && isForeign(node[n].secret) && !node[n].imports -> decide(n, 0) }
#endif
#if !EDGES
	:: d_step { node[n].round != IDLE -> failRound(n) }
#endif
#if CRASHES
	:: d_step {
		node[n].cursor != NONE && isQuiet(n) ->
		crash(n);
#if EDGES
		endFeed(n);
		log[n].from = 0;
		log[n].keyChanges = 0;
		log[n].digestChanges = 0
#endif
	}
#endif
	od
}

#if EDGES
/* ---- The edge: src/client/local ---- */

#define READING READ	/* The request was sent, or its answer is under way */

#define hasAnswered(u) (feed[u].request == ANSWERED && (feed[u].rowRequest == FREE || feed[u].rowRequest == ANSWERED))

#ifdef LATE_ANSWER
/* Both for the same row, or both for none. */
#define isSameRequest(u) (feed[u].rowRequest == FREE -> !node[EDGE].missing[A] && !node[EDGE].missing[B] : node[EDGE].missing[feed[u].secret])
#endif

/* Requests the state, and the row that is missing. */
inline send(u) {
#ifdef LATE_ANSWER
	if
	:: hasAnswered(u) && isSameRequest(u) -> printf("the edge takes the late answer of process %d\n", u)
	:: else -> endFeed(u);
#else
	if
	:: true ->
#endif
		printf("the edge sends a request to process %d\n", u);
		feed[u].request = ARRIVED;
		if
		:: node[EDGE].missing[A] -> feed[u].rowRequest = ARRIVED; feed[u].secret = A
		:: node[EDGE].missing[B] -> feed[u].rowRequest = ARRIVED; feed[u].secret = B
		:: else
		fi
	fi;
	node[EDGE].round = READING
}

/* Ends the round with the answer. The rows of a changed key are dropped, because the feed only names the key. */
inline receive(u) {
	node[EDGE].toRevision = feed[u].toRevision;
	node[EDGE].toEpoch = feed[u].toEpoch;
	node[EDGE].toImports = feed[u].toImports;
	node[EDGE].clear = feed[u].clear;
	node[EDGE].keyChanges = feed[u].keyChanges;
	node[EDGE].digestChanges = feed[u].digestChanges;
	node[EDGE].found[feed[u].secret] = feed[u].found;
	endFeed(u);
	applySnapshot(EDGE);
	if
	:: node[EDGE].keyChanges != 0 -> node[EDGE].row[A] = 0; node[EDGE].row[B] = 0
	:: else
	fi;
	applyDigestChanges(EDGE);
	serve(EDGE);
	endRound(EDGE);
	hasTried = false
}

/* After a timeout, or without a connection. A late answer is ignored. The round fails if each upstream was tried. */
inline giveUp() {
	printf("the edge gives process %d up\n", upstream);
#ifndef LATE_ANSWER
	endFeed(upstream);
#endif
	upstream = (upstream + 1) % PROCESSES;
	if
	:: hasTried || PROCESSES == 1 -> failRound(EDGE); hasTried = false
	:: else -> hasTried = true; node[EDGE].round = STARTED
	fi
}

/* An edge: as a verification process, but its rounds read the feed of one process, then of the other one. */
proctype Edge() {
end:	do
	:: arrive(EDGE, A)
	:: arrive(EDGE, B)
	:: isLeasable(EDGE) -> d_step { decideLeased(EDGE) }
	:: d_step { node[EDGE].round == IDLE && node[EDGE].request == ARRIVED -> startRound(EDGE) }
	:: d_step { node[EDGE].round == STARTED -> send(upstream) }
	:: d_step {
		node[EDGE].round == READING && hasAnswered(upstream) ->
		receive(upstream)
	}
	:: d_step { node[EDGE].round == READING -> giveUp() }
#if CRASHES
	:: d_step { node[EDGE].cursor != NONE && isQuiet(EDGE) -> crash(EDGE) }
#endif
	od
}
#endif

init {
	atomic {
#if !IMPORTS
		states[0] = EXISTS;
#endif
		i = 0;
		do
		:: i < NODES -> node[i].cursor = NONE; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < WRITERS -> run Writer(i); i++
		:: else -> break
		od;
#if LEASE
		run Clock();
#endif
#if FAILOVERS
		run Standby();
#endif
		i = 0;
		do
		:: i < PROCESSES -> run Process(i); i++
		:: else -> break
		od;
#if EDGES
		run Edge();
#endif
	}
}

#ifdef LIVENESS
/* Each request is decided or fails, if no process stands still forever. */
ltl decided { [] (node[NODES - 1].request != FREE -> <> (node[NODES - 1].request == FREE)) }
#endif
