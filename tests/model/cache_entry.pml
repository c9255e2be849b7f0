/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of an entry's life in the cache of src/common/cache.h, for spin:
 * look-ups that build or wait, evictions for room, replacement, clearing, and
 * the freeing of entries, in every order that the locks allow. check.sh says
 * how to run it.
 *
 * Names are those of the code. A step of the model is what threads can tell
 * apart: one access to what is shared, or one critical section's entrance.
 * Values are counts of references. There are two keys, each in a shard of its
 * own, and room for CAPACITY values.
 *
 * What must hold is asserted where it could break:
 *   - nobody touches an entry or value that was freed, and none is freed twice
 *   - a finished entry in the map succeeded; the limit holds at every moment
 *   - a key has one builder at a time, unless it is replaced meanwhile
 *   - who waited gets what the builder wrote
 *   - at the end nobody waits, and what is not in the map is freed
 * A thread that waited for ever would end in an invalid end state.
 *
 * BUG=1..6 each leave out one thing that the code does; spin must find that.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef REPLACE
#define REPLACE 0
#endif
#ifndef BUG
#define BUG 0
#endif
#define KEYS 2
#define ENTRIES 12
#define NONE 255
#define MOST_VAIN_WAITS 2

mtype = { in_progress, succeeded, failed }; /* states */
mtype = { error, own, spurious, fine };     /* results of builds */

typedef entry {
    mtype state;
    mtype result;   /* written before the state changes */
    byte key;
    byte users;     /* map, builder, waiters */
    byte value;     /* references to the value; 1 is the entry's own */
    bool mapped;
    bool listed;    /* in the list by use */
    bool freed;
    bit mutex;      /* pairs with settled */
    byte settled;   /* broadcasts so far */
};

entry e[ENTRIES];
byte next_entry;
byte map[KEYS];
bit shard_lock[KEYS];
bit limits_lock;
byte size;
byte builders[KEYS];

inline lock(l)   { atomic { l == 0 -> l = 1 } }
inline unlock(l) { l = 0 }

inline touch(i) { assert(!e[i].freed) }

/* Every build has an entry of its own, so that none is used again. */
inline create(i, k) {
    d_step {
        assert(next_entry < ENTRIES);
        i = next_entry;
        next_entry++;
        e[i].state = in_progress;
        e[i].key = k;
        e[i].users = 1;
    }
}

/* entry_leave(): the last user releases the value and frees the entry. */
inline leave(i) {
    d_step {
        touch(i);
        assert(e[i].users > 0);
        e[i].users--;
        if
        :: e[i].users == 0 ->
            assert(!e[i].mapped);
            e[i].freed = true;
            if
            :: e[i].state == succeeded ->
                assert(e[i].value > 0);
                e[i].value--
            :: else
            fi
        :: else
        fi
    }
}

inline use_value(i)     { d_step { assert(e[i].value > 0) } }
inline retain_value(i)  { d_step { touch(i); assert(e[i].value > 0);
                                   e[i].value++ } }
inline release_value(i) { d_step { assert(e[i].value > 0); e[i].value-- } }

/* cache_remove_locked(): both locks are held; the map's use is the caller's then. */
inline remove(i) {
    d_step {
        touch(i);
        assert(e[i].mapped);
        map[e[i].key] = NONE;
        e[i].mapped = false;
        if
        :: e[i].listed ->
            assert(e[i].state == succeeded);
            e[i].listed = false;
            size--
        :: else
        fi
    }
}

inline enter(i) {
    d_step {
        touch(i);
        assert(e[i].mapped && e[i].state == succeeded && !e[i].listed);
        e[i].listed = true;
        size++;
        assert(size <= CAPACITY)
    }
}

/* cache_make_room_locked(1): the limits' lock is held. Which of the values is the
 * oldest is not modelled: any may be. Entries in progress are not among them. */
inline make_room(victim, j) {
#if BUG != 1
    do
    :: size + 1 > CAPACITY ->
        victim = NONE;
        select(j : 0 .. (KEYS - 1));
        lock(shard_lock[j]);
        if
        :: map[j] != NONE && e[map[j]].listed ->
            victim = map[j];
            remove(victim)
        :: else
        fi;
        unlock(shard_lock[j]);
        if
        :: victim != NONE -> leave(victim)
        :: else
        fi
    :: else -> break
    od
#else
    skip
#endif
}

/* remove_all(): what cache_clear() does, and a build that runs out of memory. */
inline clear(victim, j) {
    lock(limits_lock);
    j = 0;
    do
    :: j < KEYS ->
        victim = NONE;
        lock(shard_lock[j]);
        if
        :: map[j] != NONE && (e[map[j]].listed || BUG == 2) ->
            victim = map[j];
            remove(victim)
        :: else
        fi;
        unlock(shard_lock[j]);
        if
        :: victim != NONE -> leave(victim)
        :: else
        fi;
        j++
    :: else -> break
    od;
    unlock(limits_lock)
}

/* run_build(): any result; after running out of memory once, too. */
inline run_build(result, victim, j) {
#if !REPLACE
    if
    :: clear(victim, j)
    :: skip
    fi;
#endif
    if
    :: result = fine
    :: result = error
    :: result = own
    :: result = spurious /* or the thread was cancelled: abandon() */
    fi
}

/* finish() */
inline finish(i, k, r, victim, j, fits, leaves) {
    if
    :: r == fine -> e[i].value = 2 /* the entry's and the caller's */
    :: else
    fi;
    e[i].result = r;
    lock(limits_lock);
    fits = (r == fine) && e[i].mapped;
    if
    :: fits -> make_room(victim, j)
    :: else
    fi;
    lock(shard_lock[k]);
#if BUG == 3
    fits = (r == fine);
    leaves = false;
#else
    leaves = e[i].mapped && !fits;
#endif
    if
    :: leaves -> d_step { map[k] = NONE; e[i].mapped = false }
    :: else
    fi;
    d_step {
        assert(e[i].state == in_progress); /* the compare-and-swap */
        if
        :: r == fine -> e[i].state = succeeded
        :: else -> e[i].state = failed
        fi;
        builders[k]--
    };
    if
    :: fits -> enter(i)
    :: else
    fi;
    unlock(shard_lock[k]);
    unlock(limits_lock);
#if BUG != 4
    lock(e[i].mutex);
#endif
    d_step { touch(i); e[i].settled++ };
#if BUG != 4
    unlock(e[i].mutex);
#endif
    if
    :: leaves -> leave(i)
    :: else
    fi;
    leave(i)
}

/* sleep_until_settled(): a condition variable loses what is broadcast before
 * the wait begins, which is when the lock is given up. */
inline sleep_until_settled(i, seen) {
    lock(e[i].mutex);
    do
    :: e[i].state != in_progress -> break
    :: else ->
        atomic { seen = e[i].settled; unlock(e[i].mutex) };
        e[i].settled != seen;
        lock(e[i].mutex)
    od;
    unlock(e[i].mutex)
}

/* cache_get_or_build() */
proctype getter() {
    byte k, i, victim, j, seen;
    byte vain = 0;
    bool was_spurious = false;
    bool fits, leaves;
    mtype r;

    select(k : 0 .. (KEYS - 1));
again:
    lock(shard_lock[k]);
    i = map[k];
    if
    :: i == NONE ->
        create(i, k);
        d_step {
            e[i].mapped = true;
            e[i].users++;
            map[k] = i;
            builders[k]++;
            assert(REPLACE || builders[k] == 1)
        };
        unlock(shard_lock[k]);
        run_build(r, victim, j);
        finish(i, k, r, victim, j, fits, leaves);
        if
        :: r == fine -> use_value(i); release_value(i)
        :: else
        fi;
        goto end
    :: i != NONE && e[i].state == succeeded ->
        assert(e[i].listed);
        retain_value(i);
        unlock(shard_lock[k]);
        use_value(i);
        release_value(i);
        goto end
    :: else ->
        assert(e[i].state == in_progress); /* what failed left before */
#if BUG != 5
        d_step { touch(i); e[i].users++ };
#endif
        unlock(shard_lock[k])
    fi;

    /* wait_for() */
    sleep_until_settled(i, seen);
    touch(i);
    r = e[i].result;
    if
    :: r == fine ->
        assert(e[i].state == succeeded);
        retain_value(i)
    :: else -> assert(e[i].state == failed)
    fi;
#if BUG != 5
    leave(i);
#endif
    if
    :: r == fine -> use_value(i); release_value(i)
    :: r == own && vain + 1 < MOST_VAIN_WAITS -> vain++; goto again
    :: r == spurious && !was_spurious -> was_spurious = true; goto again
    :: else /* the error is delivered, or it builds for itself */
    fi;
end:
    skip
}

/* cache_put() or cache_clear(). */
proctype changer() {
    byte k, i, old, victim, j;
#if REPLACE
    if
    :: select(k : 0 .. (KEYS - 1));
       create(i, k);
       d_step { e[i].result = fine; e[i].value = 2; e[i].state = succeeded };
       lock(limits_lock);
       lock(shard_lock[k]);
       old = map[k];
       if
       :: old != NONE -> remove(old)
       :: else
       fi;
       unlock(shard_lock[k]);
       if
       :: old != NONE -> leave(old)
       :: else
       fi;
       make_room(victim, j);
       lock(shard_lock[k]);
       old = map[k];
#if BUG != 6
       if
       :: old != NONE -> remove(old)
       :: else
       fi;
#endif
       d_step { e[i].mapped = true; e[i].users++; map[k] = i };
       enter(i);
       unlock(shard_lock[k]);
       unlock(limits_lock);
       if
       :: old != NONE -> leave(old)
       :: else
       fi;
       leave(i);
       use_value(i);
       release_value(i)
    :: clear(victim, j)
    fi
#else
    clear(victim, j)
#endif
}

init {
    byte i;
    d_step {
        map[0] = NONE;
        map[1] = NONE
    };
    atomic {
        i = 0;
        do
        :: i < THREADS -> run getter(); i++
        :: else -> break
        od;
        run changer()
    };
    _nr_pr == 1;

    /* All is quiet. */
    d_step {
        assert(size <= CAPACITY);
        assert(builders[0] == 0 && builders[1] == 0);
        i = 0;
        do
        :: i < next_entry ->
            assert(e[i].state != in_progress);
            if
            :: e[i].mapped ->
                assert(!e[i].freed && e[i].users == 1 && e[i].value == 1)
            :: else ->
                assert(e[i].freed && e[i].users == 0 && e[i].value == 0)
            fi;
            i++
        :: else -> break
        od
    }
}
