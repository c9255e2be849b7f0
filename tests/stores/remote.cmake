# SPDX-License-Identifier: Apache-2.0
# Stores on servers, and stores together with the library on the fake driver.
target_link_libraries(test_stores PRIVATE PkgConfig::HIREDIS)
add_dependencies(test_stores dnnl_cache_redis)
add_executable(http_leaver http_leaver.c)
target_link_libraries(http_leaver PRIVATE dnnl_cache_stores)
dnnl_cache_target(http_leaver)
dnnl_cache_test_program(test_remote_stores
    LIBS dnnl_cache_stores PkgConfig::HIREDIS PkgConfig::SODIUM PkgConfig::XXHASH
        Threads::Threads
    ENV TSAN_OPTIONS=die_after_fork=0:history_size=4)
target_compile_definitions(test_remote_stores PRIVATE
    HTTP_LEAVER="$<TARGET_FILE:http_leaver>")
add_dependencies(test_remote_stores
    dnnl_cache_redis dnnl_cache_http http_leaver)

dnnl_cache_test(test_metrics IN test_stores
    SOURCES redis_server.c store_helpers.c test_metrics.c
    LABELS stores)

# The library and a store together, on the fake driver.
dnnl_cache_test(test_conformance_items
    SOURCES test_conformance_items.c
    LIBS dnnl_cache_test_api dnnl_cache_stores
    LABELS stores api
    ENV "OCL_ICD_VENDORS=${PROJECT_BINARY_DIR}/tests/fake_opencl/vendors"
        FAKE_OPENCL_STRICT=1 FAKE_OPENCL_DIE_ON_DAMAGED=1 ONEDNN_VERBOSE=none)
add_dependencies(test_conformance_items fake_opencl)
target_include_directories(test_conformance_items PRIVATE
    "${PROJECT_SOURCE_DIR}/tests/api")
dnnl_cache_test(test_tiers IN test_stores
    SOURCES redis_server.c store_helpers.c test_tiers.c
    LABELS stores)
dnnl_cache_test(test_redis_store IN test_remote_stores
    SOURCES
        redis_server.c
        remote_helpers.c
        remote_proofs.c
        slow_proxy.c
        store_helpers.c
        test_redis_many.c
        test_redis_network.c
        test_redis_proofs.c
        test_redis_store.c
    LABELS stores threads COST 8
    MERGE RedisNetwork.AServerSlowByASecondIsNotWaitedFor
        RedisStore.APausedServerIsNotWaitedFor)
dnnl_cache_test(test_redis_lease IN test_remote_stores
    SOURCES lease_helpers.c redis_server.c slow_proxy.c store_helpers.c
        test_redis_hearing.c test_redis_lease.c test_redis_shared.c
    LABELS stores threads COST 8
    MERGE RedisLease.ALeaderKilledAtAnyMoment* RedisLease.AFleetAsksLittle
        RedisLease.AHolderThatLivesIsWaitedFor
        RedisLease.WhoHearsOfAHolderThatDies* RedisLease.WhoIsToldNothing*
        RedisShared.WhoFollowsIsToldBeforeItAsks)
dnnl_cache_test(test_redis_hostile
    SOURCES store_helpers.c test_redis_hostile.c test_redis_pieces.c
    LIBS dnnl_cache_stores PkgConfig::XXHASH Threads::Threads
    LABELS stores threads
    MERGE RedisHostile.AResolverThatGetsStuckWhileWaitingIsLeft
        RedisHostile.WhoHasWaitedWaitsAsLongForTheAnswer
        RedisHostile.WithoutADescriptorItIsTriedAgain)
add_dependencies(test_redis_hostile dnnl_cache_redis)
# It has a getaddrinfo() of its own for the module.
set_target_properties(test_redis_hostile PROPERTIES
    ENABLE_EXPORTS ON C_VISIBILITY_PRESET default)
# The library and Redis together, on the fake driver.
dnnl_cache_test(test_fleet
    SOURCES redis_server.c slow_proxy.c test_fleet.c
    LIBS dnnl_cache_test_api dnnl_cache_stores PkgConfig::HIREDIS
        Threads::Threads
    LABELS stores api
    ENV "OCL_ICD_VENDORS=${PROJECT_BINARY_DIR}/tests/fake_opencl/vendors"
        FAKE_OPENCL_STRICT=1 FAKE_OPENCL_BUILD_MS=300 ONEDNN_VERBOSE=none)
add_dependencies(test_fleet fake_opencl dnnl_cache_redis)
target_include_directories(test_fleet PRIVATE
    "${PROJECT_SOURCE_DIR}/tests/api")
dnnl_cache_test(test_fleet_upgrade
    SOURCES redis_server.c test_fleet_upgrade.c
    LIBS dnnl_cache_test_api dnnl_cache_stores PkgConfig::HIREDIS
    LABELS stores api
    ENV FAKE_OPENCL_STRICT=1 FAKE_OPENCL_BUILD_MS=20 ONEDNN_VERBOSE=none
    MERGE * FULL FleetUpgrade.OfFiftyHosts*)
add_dependencies(test_fleet_upgrade fake_opencl fake_opencl_rebuilt
    dnnl_cache_redis)
target_compile_definitions(test_fleet_upgrade PRIVATE
    OLD_DRIVER="$<TARGET_FILE:fake_opencl>"
    NEW_DRIVER="$<TARGET_FILE:fake_opencl_rebuilt>")
target_include_directories(test_fleet_upgrade PRIVATE
    "${PROJECT_SOURCE_DIR}/tests/api")

dnnl_cache_test(test_http_parts IN test_stores
    SOURCES test_http_parts.c ../../stores/http/http_list.c
        ../../stores/http/http_server.c ../../stores/http/http_sign.c
        ../../stores/remote/thread/remote_secret.c
    LABELS stores unit)
dnnl_cache_test(test_http_store IN test_remote_stores
    SOURCES nginx_server.c remote_helpers.c remote_proofs.c store_helpers.c
        test_http_hostile.c test_http_proofs.c test_http_store.c test_http_tls.c
    LABELS stores threads COST 8
    MERGE HttpStore.APausedServerIsNotWaitedFor
        HttpTls.AnApplicationMayExit* HttpStore.ARenewedToken*
        HttpTls.AConnectionThatWasTooLate*)
dnnl_cache_test(test_encrypted_store IN test_remote_stores
    SOURCES nginx_server.c redis_server.c remote_helpers.c slow_proxy.c
        store_helpers.c test_encrypted_store.c
    LABELS stores threads COST 4)
# The library and servers that do not answer, on the fake driver.
dnnl_cache_test(test_remote_cold
    SOURCES remote_helpers.c store_helpers.c test_remote_cold.c
    LIBS dnnl_cache_test_api dnnl_cache_stores PkgConfig::XXHASH
        Threads::Threads
    LABELS stores api COST 8
    ENV "OCL_ICD_VENDORS=${PROJECT_BINARY_DIR}/tests/fake_opencl/vendors"
        FAKE_OPENCL_STRICT=1 FAKE_OPENCL_BUILD_MS=10 ONEDNN_VERBOSE=none
    MERGE RemoteCold.WithAServerWhose* RemoteCold.WithAResolver*
        RemoteCold.WithAServerThatNeverAnswers)
# The modules find its resolver.
set_target_properties(test_remote_cold PROPERTIES C_VISIBILITY_PRESET default
    ENABLE_EXPORTS ON)
add_dependencies(test_remote_cold
    fake_opencl dnnl_cache_redis dnnl_cache_http)
target_include_directories(test_remote_cold PRIVATE
    "${PROJECT_SOURCE_DIR}/tests/api")

# What all stores on servers have in common, with a server in the process.
dnnl_cache_test(test_remote_core IN test_remote_stores
    SOURCES fake_transport.c remote_helpers.c store_helpers.c
        test_remote_core.c test_remote_lent.c
    LABELS stores threads)
